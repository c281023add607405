namespace BulkLoad.Core.Options;

/// <summary>How records find the rows that they are about.</summary>
internal sealed record KeyOptions
{
    /// <summary>The columns that find a row; empty: those of the primary key.</summary>
    public IReadOnlyList<string> Columns { get; init; } = [];

    /// <summary>Whether the files hold one key a line, unless their extension says something else.</summary>
    public bool AreIds { get; init; }

    /// <summary>Whether a key that is not there is only counted; else it is a reject.</summary>
    public bool IgnoreMissing { get; init; }

    /// <summary>Whether a key may find several rows.</summary>
    public bool AllowMultiple { get; init; }

    /// <summary>Whether rows may be looked for without an index.</summary>
    public bool AllowScan { get; init; }

    /// <summary>SQL that a row must fulfil beside having the key; null: nothing.</summary>
    public string? Where { get; init; }

    /// <summary>Rows that the job must find, no more and no fewer, or it changes none; null: not said.</summary>
    public long? Expect { get; init; }

    /// <summary>Rows that the job may find at most; null: any number.</summary>
    public long? MaxRows { get; init; }

    /// <summary>Whether rows that are found count as updated, without a look whether they had the values already.</summary>
    public bool CountsMatched { get; init; }

    /// <summary>Asked once before anything is changed. Null: nobody is asked.</summary>
    public Func<DeletionQuestion, bool>? Confirm { get; init; }

    internal void Validate(LoadRequest request)
    {
        if (request.Table is null)
        {
            throw new RequestException(
                $"no table: rows are {(request.Kind == JobKind.Delete ? "deleted only from" : "updated only in")} a table that is " +
                "named: add --table");
        }

        LoadRequest.CheckDistinct("--key", Columns);
        RequestException.ThrowIf(request.Source.ReadsRanges && !AreIds, "--ranges is for a list of keys: add --ids");

        RequestException.ThrowIf(
            AreIds && (request.Spec is not null || request.WritesSpec),
            "--spec and --write-spec are for files of records: a list of keys has one form only");

        if (Where is { } guard && SqlExpression.FindFault(guard) is { } fault)
        {
            throw new RequestException($"--where: '{guard}' {fault}");
        }

        RequestException.ThrowIf(Expect is not null && MaxRows is not null, "--expect and --max-rows both bound the rows: leave one out");

        RequestException.ThrowIf(
            Expect is not null && (request.RowsPerChunk ?? request.BytesPerChunk) is not null,
            "--expect needs one transaction for everything: leave out --rows-per-chunk and --bytes-per-chunk");
    }
}

/// <summary>What a user is asked before rows are deleted.</summary>
/// <param name="Records">that can be keys</param>
internal sealed record DeletionQuestion(string Table, string Endpoint, IReadOnlyList<string> Key, long Records, long Refused);

/// <summary>A column that the file does not fill: the server works its value out for each row.</summary>
/// <param name="Expression">SQL of the user's own; <see cref="LoadRequest.Validate"/> ensures that it cannot end the statement it is
/// in</param>
internal sealed record ColumnAssignment(string Column, string Expression);

/// <summary>Words for a job: its command, before a table's name, before a number of records, and if nothing happened.</summary>
internal sealed record JobVerbs(string Command, string Doing, string Done, string Nothing)
{
    /// <summary>What to do if a job cannot be resumed.</summary>
    public const string WaysOn =
        "--reload does all of it again, and what is committed stays; --job-id NAME also does, as another job, and forgets nothing";

    public static JobVerbs Of(LoadRequest request) => request.Mode.Verbs ?? request.Kind switch
    {
        JobKind.Update => new("update", "Updating", "Updated by", "nothing was updated"),
        JobKind.Delete => new("delete", "Deleting from", "Deleted by", "nothing was deleted"),
        _ => new("import", "Loading", "Loaded", "nothing was imported"),
    };
}
