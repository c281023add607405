using System.CommandLine;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using static BulkLoad.Cli.Options.OptionRole;

namespace BulkLoad.Cli.Options;

internal sealed class WorkArguments : OptionGroup<LoadRequest>
{
    public WorkArguments() : base("Work")
    {
        Text("--strategy", "NAME",
            "auto (default), or the strategy to take; one that does not fit is refused, never replaced. --plan --verbose names them all",
            Way, (request, name) => request with { Strategy = name == "auto" ? null : name })
            .Offers(Offer.Strategies);
        Text("--threads", "N",
            "auto (default), or how many sessions carry rows at the same time, where their order cannot matter; --plan says how many and "
                + "why",
            Way, (request, text) => request with { Threads = ThreadsOf(text) })
            .Offers(Offer.Words, "auto", "1", "2", "4", "8").AlsoCalled("--parallel --jobs --workers --use-threads");
        Value("--rows-per-batch", "SIZE", "rows in one statement or packet (default: the measured optimum)",
            Way, OptionParsers.SmallSize, (request, rows) => request with { RowsPerBatch = rows })
            .AlsoCalled("--batch-size --batch");
        Value("--bytes-per-batch", "SIZE", "bytes in one statement or packet (default: the measured optimum)",
            Way, OptionParsers.Size, (request, bytes) => request with { BytesPerBatch = bytes });
        Value("--rows-per-chunk", "SIZE",
            "rows committed in one transaction at most (default: 524,288; 131,072 of a pipe or an update; 65,536 with several sessions)",
            Way, OptionParsers.Size, (request, rows) => request with { RowsPerChunk = rows })
            .AlsoCalled("--chunk-size --chunksize");
        Value("--bytes-per-chunk", "SIZE",
            "bytes of input committed in one transaction (default: 32Mi; 8Mi of a pipe or an update; 4Mi with several sessions)",
            Way, OptionParsers.Size, (request, bytes) => request with { BytesPerChunk = bytes })
            .AlsoCalled("--bytes-per-chunk-size");
        Flag("--atomic", "all in one transaction, or nothing", Way, request => request with { Atomic = true }).InShortHelp(240);
        Value("--max-memory", "SIZE", MaxMemory, Way, OptionParsers.Size, (request, bytes) => request with { MaxMemory = bytes });
    }

    /// <summary>The text of the option in all commands.</summary>
    public const string MaxMemory =
        "memory that the job may use, in addition to about 60Mi of the program itself (default: what its largest record and its sessions "
            + "need); --plan --verbose shows the minimum";

    private static int? ThreadsOf(string text) => text == "auto" ? null
        : int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var threads) ? threads
        : throw new RequestException($"--threads '{text}': auto, or a number from 1 to {LoadRequest.MaxThreads}");
}

/// <summary>What is recorded of a job so that it can be started again, and what it does where the server cannot record it.</summary>
internal sealed class JobArguments : OptionGroup<LoadRequest>
{
    /// <summary>How long rows are kept as they were.</summary>
    private static readonly TimeSpan UsualAge = TimeSpan.FromDays(7);

    /// <param name="imports">whether records make new rows</param>
    /// <param name="repeats">whether the same command can always be run again, so that nothing is skipped</param>
    public JobArguments(bool imports, bool repeats) : base("Job")
    {
        Text("--job-id", "NAME",
            "the job's name in the ledger, instead of its files' content; with it standard input can also be resumed, and equal content "
                + "is loaded again",
            Identity, (request, name) => request with { JobId = name });
        Flag("--reload",
            "do all of it again; earlier jobs of the same content or path are forgotten when this one is complete",
            Way, request => request with { Reload = true })
            .InShortHelp(250, "do all of it again, in spite of an earlier job");
        if (!repeats)
        {
            Flag("--append",
                "do what is new: the rest of files that were done in part, and files that were not done before; leave out what is known; "
                    + "with --limit N the next N records",
                Way, request => request with { Append = true });
        }

        if (imports)
        {
            Flag("--truncate",
                "delete all rows of the table in the transaction of the first chunk; once per job: a resumed one keeps its rows",
                Way, request => request with { Truncate = true })
                .OfAllFiles().InShortHelp(230, "delete all rows of the table first, in the first chunk's transaction");
            Text("--allow-database", "NAME",
                "with --truncate: the database whose tables may be emptied, even if no word of its name is test, ci, dev, local or seed",
                Way, (request, name) => request with { AllowedDatabase = name })
                .OfAllFiles();
        }

        Optional("--undoable", "AGE",
            "keep the rows as they were, in a table beside theirs, so that 'bulkload undo' can put them back; --undoable=30d keeps them "
                + "longer than 7 days" + (imports ? "; without --on-duplicate, --set and triggers an import can be undone without it" : ""),
            Rule, text => (TimeSpan?)OptionParsers.Age(text),
            (request, age) => request with { Undoable = age ?? UsualAge });

        Value("--job-history", "AGE",
            "when the job is complete, forget jobs of the same table and command that were completed longer ago, such as 90d; what is "
                + "forgotten is loaded again (default: keep all)",
            Way, OptionParsers.Age, (request, age) => request with { JobHistory = age });
        Flag("--no-ledger", "keep no record of the job: if it is killed, it cannot be resumed",
            Way, request => request with { NoLedger = true })
            .In(NextCommand.Again);
        Text("--ledger-schema", "NAME", "the schema of the ledger's table, bulkload_ledger (default: the target table's)",
            Way, (request, name) => request with { LedgerSchema = name });
        Value("--max-retries", "N",
            "how often a chunk is tried again after a deadlock, a lock wait or a lost server; a committed chunk starts a new count "
                + "(default: 10)",
            Way, text => TypedValue.Whole(text, 0, 1_000_000),
            (request, most) => request with { Retry = request.Retry with { MaxRetries = most } });
        Value("--retry-for", "TIME", "no further try after this time, such as 90s, 5m, 1h (default: 5m)",
            Way, OptionParsers.Time, (request, time) => request with { Retry = request.Retry with { For = time } });
        Value("--grace", "TIME", "after a signal: how long the current statement may last, and the one that kills it (default: 5s)",
            Way, OptionParsers.Time, (request, time) => request with { Grace = time });
    }
}

/// <summary>When the job slows down, waits or stops for the sake of others.</summary>
internal sealed class ThrottleArguments : OptionGroup<LoadRequest>
{
    private const string CheckReplica = "--check-replica";

    public ThrottleArguments() : base("Good neighbour")
    {
        Value("--max-rate", "RATE", "at most this much per second: rows (5000, 5krows) or bytes of input (10MB, 8MiB)",
            Way, OptionParsers.Rate, (request, rate) => request with { Throttle = request.Throttle with { MaxRate = rate } });
        Several("--max-load", "NAME=N",
            "wait while a status variable of the server is greater, such as Threads_running=50; repeatable",
            Way, OptionParsers.StatusLimit, (request, limits) => request with { Throttle = request.Throttle with { MaxLoad = limits } });
        Several("--critical-load", "NAME=N",
            "stop gracefully when a status variable is greater: exit 8, the same command resumes; repeatable",
            Way, OptionParsers.StatusLimit,
            (request, limits) => request with { Throttle = request.Throttle with { CriticalLoad = limits } });
        Value("--max-lag", "TIME", "wait before a replica is further behind, and while it does not replicate",
            Way, OptionParsers.Time, (request, time) => request with { Throttle = request.Throttle with { MaxLag = time } });
        Several(CheckReplica, "URL",
            "a replica for --max-lag (those that the server knows), as mysql://HOST:PORT; account and TLS are those of the server unless "
                + "it says others; repeatable",
            Way, text => text);
        Text("--throttle-query", "SQL", "wait while the first value of this query is true (neither 0 nor empty)",
            Way, (request, query) => request with { Throttle = request.Throttle with { Query = query } });
        Input("--pause-file", "wait while this file exists",
            Way, (request, path) => request with { Throttle = request.Throttle with { PauseFile = path } }, "PATH");
        Value("--run-time", "TIME",
            "stop gracefully after this time, counted from the first record that can be sent: exit 8, the same command resumes",
            Way, OptionParsers.Time, (request, time) => request with { Throttle = request.Throttle with { RunTime = time } });
    }

    /// <summary>Connections to the replicas.</summary>
    /// <param name="server">the server of the job, whose settings they share</param>
    /// <exception cref="RequestException">an URL is malformed</exception>
    public static IReadOnlyList<ConnectionOptions> Replicas(ParseResult words, ConnectionOptions server) =>
    [
        .. from url in words.GetValue<string[]>(CheckReplica) ?? []
           let replica = ConnectionUrl.Read(url, CheckReplica)
           select new ConnectionOptions
           {
               Host = replica.Host ?? new ConnectionOptions().Host,
               Port = replica.Port ?? new ConnectionOptions().Port,
               Socket = replica.Protocol == Transport.Tcp ? null : replica.Socket,
               User = replica.User ?? server.User,
               Password = replica.Password ?? (replica.User is null ? server.Password : null),
               SslMode = replica.SslMode ?? server.SslMode,
               SslCa = replica.SslCa ?? server.SslCa,
               SslCert = replica.SslCert ?? server.SslCert,
               SslKey = replica.SslKey ?? server.SslKey,
               GetServerPublicKey = replica.GetServerPublicKey ?? server.GetServerPublicKey,
               ServerPublicKeyPath = replica.ServerPublicKeyPath ?? server.ServerPublicKeyPath,
               EnableCleartextPlugin = replica.EnableCleartextPlugin ?? server.EnableCleartextPlugin,
               ConnectTimeout = replica.ConnectTimeout ?? server.ConnectTimeout,
               ReadTimeout = replica.ReadTimeout ?? server.ReadTimeout,
           },
    ];
}
