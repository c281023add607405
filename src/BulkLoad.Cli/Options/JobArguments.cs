using System.CommandLine;
using BulkLoad.Core;

namespace BulkLoad.Cli.Options;

/// <summary>What is written down of a job so that it can be started again, and what it does where the server cannot take it.</summary>
internal sealed class JobArguments : ArgumentGroup
{
    private readonly Option<string?> _jobId;
    private readonly Option<bool> _reload;
    private readonly Option<bool> _noLedger;
    private readonly Option<string?> _ledgerSchema;
    private readonly Option<int?> _maxRetries;
    private readonly Option<TimeSpan?> _retryFor;
    private readonly Option<TimeSpan?> _grace;

    public JobArguments()
        : base("Job")
    {
        _jobId = Text("--job-id", "NAME", "the job's name in the ledger (default: made of table, command, columns and the files' paths); with it standard input can be resumed too");
        _reload = Flag("--reload", "forget what the ledger knows of the job, and do all of it again");
        _noLedger = Flag("--no-ledger", "write nothing down: a job that was killed cannot be resumed");
        _ledgerSchema = Text("--ledger-schema", "NAME", "the schema of the ledger's table, bulkload_ledger (default: the target table's)");
        _maxRetries = Value("--max-retries", "N", "how often a chunk is tried again after a deadlock, a lock wait or a lost server; a committed chunk starts a new count (default: 10)", text => Shapes.Whole(text, 0, 1_000_000));
        _retryFor = Value("--retry-for", "TIME", "no further try after so long a time, such as 90s, 5m, 1h (default: 5m)", Shapes.Time);
        _grace = Value("--grace", "TIME", "after a signal: how long the statement under way may last, and the one that kills it (default: 5s)", Shapes.Time);
    }

    /// <summary>The request with what was typed.</summary>
    public LoadRequest Apply(LoadRequest request, ParseResult words) => request with
    {
        JobId = words.GetValue(_jobId),
        Reload = words.GetValue(_reload),
        NoLedger = words.GetValue(_noLedger),
        LedgerSchema = words.GetValue(_ledgerSchema),
        Retry = new RetryOptions(words.GetValue(_maxRetries) ?? request.Retry.Most, words.GetValue(_retryFor) ?? request.Retry.For),
        Grace = words.GetValue(_grace) ?? request.Grace,
    };
}
