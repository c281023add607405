using BulkLoad.Bench;
using BulkLoad.Core.Reports;
using BulkLoad.Seeding;

namespace BulkLoad.Cli.Host;

/// <summary>The table of the codes is in docs/cli.md.</summary>
internal enum ExitCode
{
    Done = 0,
    Failed = 1,
    WrongRequest = 2,
    DoneWithRejects = 3,
    TooManyRejects = 4,
    CannotConnect = 5,
    InputUnfit = 6,
    DoesNotAddUp = 7,
    StoppedInOrder = 8,
    PlanRefused = 9,
    Interrupted = 130,
    Terminated = 143,
}

/// <summary>Turns outcomes into exit codes: the only place that does.</summary>
internal static class ExitCodes
{
    /// <summary>In the words of the help.</summary>
    public static IReadOnlyList<(ExitCode Code, string Meaning)> All { get; } =
    [
        (ExitCode.Done, "every record is accounted for, none rejected"),
        (ExitCode.Failed, "failed: server or internal error, or an output that cannot be written any more"),
        (ExitCode.WrongRequest, "the command line or configuration is wrong, or an output cannot be opened; nothing was sent"),
        (ExitCode.DoneWithRejects, "done, with rejects within the limit; or an undo has kept rows, and says why"),
        (ExitCode.TooManyRejects, "stopped: more rejects than allowed; or a check finished, and an import would have stopped"),
        (ExitCode.CannotConnect, "cannot connect: host, password, TLS or database"),
        (ExitCode.InputUnfit, "the input cannot be read, or its columns do not fit the table"),
        (ExitCode.DoesNotAddUp,
            "counts do not add up, or rows are not what the records say (--verify), and the chunk was rolled back; or --verify could "
                + "verify no row"),
        (ExitCode.StoppedInOrder,
            "stopped on request (--run-time, --critical-load); run the same command to resume (a bench starts again)"),
        (ExitCode.PlanRefused,
            "the plan is refused: this server or table cannot do what was asked; or a question was not answered with yes"),
        (ExitCode.Interrupted, "stopped by SIGINT"),
        (ExitCode.Terminated, "stopped by SIGTERM"),
    ];

    public static ExitCode Of(BulkLoadException failure) => failure.ErrorCode switch
    {
        BulkErrorCode.WrongRequest => ExitCode.WrongRequest,
        BulkErrorCode.TooManyRejects => ExitCode.TooManyRejects,
        BulkErrorCode.CannotConnect => ExitCode.CannotConnect,
        BulkErrorCode.InputUnfit => ExitCode.InputUnfit,
        BulkErrorCode.DoesNotAddUp => ExitCode.DoesNotAddUp,
        BulkErrorCode.Stopped => ExitCode.StoppedInOrder,
        BulkErrorCode.Refused => ExitCode.PlanRefused,
        _ => ExitCode.Failed,
    };

    public static ExitCode Of(BenchReport report, ExitCode stoppedBy) => report.Outcome switch
    {
        BenchOutcome.Complete => ExitCode.Done,
        BenchOutcome.CutShort => ExitCode.StoppedInOrder,
        BenchOutcome.Interrupted => stoppedBy,
        _ => report.Failure is { } failure ? Of(failure) : ExitCode.Failed,
    };

    /// <param name="stoppedBy">the code of the signal that stopped it</param>
    public static ExitCode Of(SeedReport report, ExitCode stoppedBy) => report.Outcome switch
    {
        LoadOutcome.Interrupted => stoppedBy,
        LoadOutcome.Failed or LoadOutcome.Stopped => report.Failure is { } failure ? Of(failure) : ExitCode.Failed,
        _ => report.Tables.Any(table => table.Rejected > 0) ? ExitCode.DoneWithRejects : ExitCode.Done,
    };

    /// <param name="stoppedBy">the code of the signal that stopped it</param>
    public static ExitCode Of(SeedCheckReport report, ExitCode stoppedBy) => report.Outcome switch
    {
        LoadOutcome.Interrupted => stoppedBy,
        LoadOutcome.Failed => report.Failure is { } failure ? Of(failure) : ExitCode.Failed,
        _ when report.Tables.Any(table => table.IsBeyondMaxRejects) => ExitCode.TooManyRejects,
        _ => report.Tables.Any(table => table.Rejected > 0) ? ExitCode.DoneWithRejects : ExitCode.Done,
    };

    public static ExitCode Of(LoadReport report, ExitCode stoppedBy) => report.Outcome switch
    {
        LoadOutcome.Interrupted => stoppedBy,
        LoadOutcome.Failed or LoadOutcome.Stopped => report.Failure is { } failure ? Of(failure) : ExitCode.Failed,
        _ when report.IsBeyondMaxRejects => ExitCode.TooManyRejects,
        _ when report.Undo is { Kept: > 0 } => ExitCode.DoneWithRejects,
        _ => report.Counts.Rejected > 0 ? ExitCode.DoneWithRejects : ExitCode.Done,
    };
}
