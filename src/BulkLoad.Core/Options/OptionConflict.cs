using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Options;

/// <summary>An option that does not go with another one.</summary>
/// <param name="Why">for people, behind a colon</param>
internal sealed record OptionConflict(string Option, Func<LoadRequest, bool> IsGiven, string Why)
{
    /// <param name="option">that was given</param>
    /// <exception cref="RequestException">one of the others was given too</exception>
    public static void Check(LoadRequest request, string option, IEnumerable<OptionConflict> others)
    {
        if (others.FirstOrDefault(other => other.IsGiven(request)) is { } one)
        {
            throw new RequestException($"{option} with {one.Option}: {one.Why}; leave one out");
        }
    }
}

/// <summary>What goes with <see cref="LoadRequest.IdsFile"/>: the ids of rows that the job inserts, and that stay.</summary>
internal static class IdOptions
{
    private static readonly OptionConflict[] Excluded =
    [
        new("--on-duplicate", request => request.OnDuplicate != DuplicateMode.Error,
            "a record that finds a row gets no id of its own"),
        new("--preview", request => request.Mode == JobMode.Preview, "no row stays, and so no id"),
        new("--full-refresh", request => request.Refresh is not null,
            "the table beside gets the rows, and may be loaded again before it takes the table's place"),
    ];

    /// <exception cref="RequestException">the file has no name, or another option does not go with it</exception>
    public static void Check(LoadRequest request)
    {
        if (!request.KeepsIds)
        {
            return;
        }

        RequestException.ThrowIf(request.Kind != JobKind.Import, "--ids-file: only rows that a load inserts get ids: leave it out");
        RequestException.ThrowIf(request.IdsFile is "" or "-", "--ids-file: needs a file's name");
        if (CompressionFormat.ByName(request.IdsFile) is { } packed)
        {
            throw new RequestException($"--ids-file: ids are written as they are committed, not compressed: leave out {packed.Ending}");
        }

        OptionConflict.Check(request, "--ids-file", Excluded);
    }
}

/// <summary>What goes with <see cref="LoadRequest.Undoable"/>: changes of single rows in a table that stays as it is.</summary>
internal static class UndoableOptions
{
    private static readonly OptionConflict[] Excluded =
    [
        new("--no-ledger", request => request.NoLedger, "nobody would know which rows the job has changed"),
        new("--truncate", request => request.Truncate, "the rows that it deletes are not kept"),
        new("--full-refresh", request => request.Refresh is not null, "--keep-old keeps the table as it was"),
        new("--rebuild-indexes", request => request.RebuildIndexes, "the table must not be altered while the job runs"),
        new("--create", request => request.Create, "the job makes the table, and its undo would leave it empty"),
    ];

    /// <exception cref="RequestException">another option does not go with it</exception>
    public static void Check(LoadRequest request)
    {
        if (request.Undoable is not null)
        {
            OptionConflict.Check(request, "--undoable", Excluded);
        }
    }
}

/// <summary>What options about the ledger need.</summary>
internal static class LedgerOptions
{
    private const int LongestJobId = 64;

    /// <exception cref="RequestException">a name is not possible, or an option is about what there is not</exception>
    public static void Check(LoadRequest request)
    {
        if (request.JobId is { } id && (id.Length is 0 or > LongestJobId
            || id.Any(letter => !char.IsAsciiLetterOrDigit(letter) && letter is not ('-' or '_' or '.' or ':'))))
        {
            throw new RequestException($"--job-id '{id}': a job's name has 1 to {LongestJobId} letters, digits and - _ . :");
        }

        RequestException.ThrowIf(
            request.LedgerSchema is not null && string.IsNullOrWhiteSpace(request.LedgerSchema), "--ledger-schema: needs a schema's name");

        RequestException.ThrowIf(
            request is { JobId: not null, Part: not null } && $"{request.JobId}#{request.Part}".Length > LongestJobId,
            $"--job-id '{request.JobId}': with --part a job's name has {LongestJobId} letters at most, and #{request.Part} is a part of "
                + "it");

        if (request.NoLedger && (request.JobId is not null || request.Reload || request.LedgerSchema is not null))
        {
            throw new RequestException("--no-ledger: without a ledger there is nothing that "
                + $"{(request.JobId is not null ? "--job-id" : request.Reload ? "--reload" : "--ledger-schema")} could be about: leave "
                + "one out");
        }
    }
}
