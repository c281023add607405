using System.CommandLine;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Options;

/// <summary>What is written down of a job so that it can be started again, and what it does where the server cannot take it.</summary>
internal sealed class JobArguments : ArgumentGroup
{
    private readonly Option<string?> _jobId;
    private readonly Option<bool> _reload;
    private readonly Option<bool>? _append;
    private readonly Option<bool>? _truncate;
    private readonly Option<string?>? _allowDatabase;
    private readonly Option<bool> _noLedger;
    private readonly Option<string?> _ledgerSchema;
    private readonly Option<int?> _maxRetries;
    private readonly Option<TimeSpan?> _retryFor;
    private readonly Option<TimeSpan?> _grace;

    /// <param name="imports">whether records make new rows</param>
    /// <param name="repeats">whether the same command can always be run again, so that nothing is left out</param>
    public JobArguments(bool imports, bool repeats) : base("Job")
    {
        _jobId = Text("--job-id", "NAME",
            "the job's name in the ledger, instead of its files' content; with it standard input can also be resumed, and equal content "
                + "is loaded again");
        _reload = Flag("--reload",
            "do all of it again: forget the earlier jobs because of which the command would be refused, or would have nothing to do");
        _append = repeats
            ? null
            : Flag("--append", "do the rest of files that were done in part; of several files, do those that were not done before; with "
                + "--limit N the next N records");
        _truncate = imports
            ? Flag("--truncate",
                "delete all rows of the table in the transaction of the first chunk; once per job: a resumed one keeps its rows")
            : null;
        _allowDatabase = imports
            ? Text("--allow-database", "NAME",
                "with --truncate: the database whose tables may be emptied, even if no word of its name is test, ci, dev, local or seed")
            : null;
        _noLedger = Flag("--no-ledger", "keep no record of the job: if it is killed, it cannot be resumed");
        _ledgerSchema = Text("--ledger-schema", "NAME", "the schema of the ledger's table, bulkload_ledger (default: the target table's)");
        _maxRetries = Value("--max-retries", "N",
            "how often a chunk is tried again after a deadlock, a lock wait or a lost server; a committed chunk starts a new count "
                + "(default: 10)",
            text => OptionParsers.Whole(text, 0, 1_000_000));
        _retryFor = Value("--retry-for", "TIME", "no further try after this time, such as 90s, 5m, 1h (default: 5m)", OptionParsers.Time);
        _grace = Value("--grace", "TIME",
            "after a signal: how long the current statement may last, and the one that kills it (default: 5s)", OptionParsers.Time);
    }

    /// <summary>The request with what was typed.</summary>
    public LoadRequest Apply(LoadRequest request, ParseResult words) => request with
    {
        JobId = words.GetValue(_jobId),
        Reload = words.GetValue(_reload),
        Append = _append is not null && words.GetValue(_append),
        Truncate = _truncate is not null && words.GetValue(_truncate),
        AllowedDatabase = _allowDatabase is null ? null : words.GetValue(_allowDatabase),
        NoLedger = words.GetValue(_noLedger),
        LedgerSchema = words.GetValue(_ledgerSchema),
        Retry = new RetryOptions(words.GetValue(_maxRetries) ?? request.Retry.Most, words.GetValue(_retryFor) ?? request.Retry.For),
        Grace = words.GetValue(_grace) ?? request.Grace,
    };
}
