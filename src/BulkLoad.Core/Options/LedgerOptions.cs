namespace BulkLoad.Core.Options;

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
            $"--job-id '{request.JobId}': with --part a job's name has {LongestJobId} letters at most, and #{request.Part} is a part of it");

        RequestException.ThrowIf(
            request is { Undoable: not null, NoLedger: true },
            "--undoable with --no-ledger: nobody would know which rows the job has changed: leave one out");

        if (request.NoLedger && (request.JobId is not null || request.Reload || request.LedgerSchema is not null))
        {
            throw new RequestException("--no-ledger: without a ledger there is nothing that "
                + $"{(request.JobId is not null ? "--job-id" : request.Reload ? "--reload" : "--ledger-schema")} could be about: leave "
                + "one out");
        }
    }
}
