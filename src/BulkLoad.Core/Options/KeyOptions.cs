namespace BulkLoad.Core.Options;

internal sealed record KeyOptions
{
    /// <summary>Empty: the primary key.</summary>
    public IReadOnlyList<string> Columns { get; init; } = [];

    /// <summary>Whether the files hold one key a line, unless their extension says something else.</summary>
    public bool AreIds { get; init; }

    /// <summary>Whether a key that no row has is only counted; otherwise it is a reject.</summary>
    public bool IgnoreMissing { get; init; }

    public bool AllowMultiple { get; init; }

    public bool AllowScan { get; init; }

    /// <summary>SQL that is true for a row; null: for all.</summary>
    public string? Where { get; init; }

    /// <summary>Number of rows that the job must find, or it changes none; null: any.</summary>
    public long? Expect { get; init; }

    /// <summary>Limit of the rows that the job may find; null: none.</summary>
    public long? MaxRows { get; init; }

    /// <summary>Whether all found rows count as updated, also those that had the values already.</summary>
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

/// <summary>The question before rows are deleted.</summary>
/// <param name="Records">those that can be keys</param>
internal sealed record DeletionQuestion(string Table, string Endpoint, IReadOnlyList<string> Key, long Records, long Refused);

/// <summary>A column that the server computes for each row.</summary>
/// <param name="Expression">the user's SQL; <see cref="LoadRequest.Validate"/> ensures that it cannot end its statement</param>
internal sealed record ColumnAssignment(string Column, string Expression);

/// <summary>Words for a job: its command, before a table's name, before a number of records, and if nothing happened.</summary>
internal sealed record JobVerbs(string Command, string Doing, string Done, string Nothing)
{
    /// <summary>What the user can do if a job cannot be resumed.</summary>
    public const string WaysOn =
        "--reload does all of it again, and what is committed stays; --job-id NAME also does, as another job, and forgets nothing";

    public static JobVerbs Of(LoadRequest request) => request.Mode.Verbs ?? request.Kind switch
    {
        JobKind.Update => new("update", "Updating", "Updated by", "nothing was updated"),
        JobKind.Delete => new("delete", "Deleting from", "Deleted by", "nothing was deleted"),
        _ => new("import", "Loading", "Loaded", "nothing was imported"),
    };
}
