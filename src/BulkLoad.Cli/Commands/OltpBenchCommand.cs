using System.CommandLine;
using BulkLoad.Bench;
using BulkLoad.Bench.Oltp;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload bench oltp [prepare | run | cleanup]</c>.</summary>
internal sealed class OltpBenchCommand : MeasuringCommand<OltpBenchCommand.OltpArguments>
{
    /// <summary>What calls it.</summary>
    public const string Word = "oltp";

    private readonly Argument<string[]> _words = new("WORD")
    {
        Arity = ArgumentArity.ZeroOrMore,
        Description = "prepare: make and fill the tables; run: measure with them; cleanup: drop them. Without a word: all three",
    };

    public OltpBenchCommand(CommandContext context)
        : base(Word, "Measure short transactions of many sessions, as sysbench's OLTP tests do.", context,
            new BenchArguments("--table-size", "10k", 1)) =>
        Arguments.Add(_words);

    /// <inheritdoc/>
    public override string Words => "[prepare | run | cleanup]";

    /// <inheritdoc/>
    public override IReadOnlyList<(string Line, string Does)> Examples =>
    [
        ("bulkload bench oltp -D test --workload read-only,point-select --threads 1,2,4,8 --html oltp.html",
            "tables made, measured with and dropped; curves over threads"),
        ("bulkload bench oltp prepare -D test --tables 4 --table-size 100k", "tables that stay"),
        ("bulkload bench oltp run -D test --tables 4 --table-size 100k --threads 8 --time 60s --report-interval 5s", "measured with these"),
        ("bulkload bench oltp cleanup -D test", "and dropped"),
    ];

    protected override BenchRequest Bind(ConnectionOptions connection, ParseResult words) => Own.Apply(
        new OltpRequest
        {
            Connection = connection,
            Rows = 10_000,
            Repeats = 1,
            Step = (words.GetValue(_words) ?? []) switch
            {
                [] => OltpStep.All,
                ["prepare"] => OltpStep.Prepare,
                ["run"] => OltpStep.Run,
                ["cleanup"] => OltpStep.CleanUp,
                var others => throw new RequestException($"bench oltp: '{string.Join(' ', others)}' is none of prepare, run and cleanup"),
            },
        },
        words);

    /// <summary>Its own options.</summary>
    internal sealed class OltpArguments : ArgumentGroup
    {
        private static readonly (string, OltpWorkload)[] Workloads = [.. OltpWorkload.All.Select(workload => (workload.Name, workload))];

        private readonly Option<OltpWorkload[]?> _workloads;
        private readonly Option<int?> _tables;
        private readonly Option<long[]?> _threads;
        private readonly Option<TimeSpan?> _time;
        private readonly Option<long?> _events;
        private readonly Option<TimeSpan?> _reportInterval;
        private readonly Option<long?> _rate;
        private readonly Option<int?> _percentile;

        public OltpArguments() : base("Transactions")
        {
            _workloads = Object(
                "--workload",
                "LIST",
                $"what is measured: {string.Join(", ", OltpWorkload.All.Select(workload => workload.Name))} (default: read-write)",
                text => text.Split(',', StringSplitOptions.TrimEntries).Select(name => OptionParsers.Choice(name, Workloads)).ToArray());
            _tables = Value("--tables", "N", "tables (default: 1)", text => OptionParsers.Whole(text, 1, 1000));
            _threads = Object(
                "--threads", "LIST", "sessions that work at a time; each number is measured (default: 1)", OptionParsers.Sizes);
            _time = Value("--time", "TIME", "how long a run is (default: 10s)", OptionParsers.Time);
            _events = Value("--events", "SIZE", "end a run after this many transactions (default: none)", OptionParsers.Size);
            _reportInterval = Value(
                "--report-interval", "TIME", "also report the pace of each last run at this interval", OptionParsers.Time);
            _rate = Value("--rate", "SIZE",
                "transactions that start per second; latency counts from when one should start (default: as many as possible)",
                OptionParsers.Size);
            _percentile = Value("--percentile", "N", "the percentile of latencies that is reported (default: 95)",
                text => OptionParsers.Whole(text, 1, 100));
        }

        public OltpRequest Apply(OltpRequest request, ParseResult words) => request with
        {
            Workloads = TypedList(words, _workloads) ?? request.Workloads,
            Tables = words.GetValue(_tables) ?? request.Tables,
            Threads = TypedList(words, _threads) ?? request.Threads,
            Time = words.GetValue(_time) ?? request.Time,
            Events = words.GetValue(_events) ?? request.Events,
            ReportInterval = words.GetValue(_reportInterval) ?? request.ReportInterval,
            Rate = words.GetValue(_rate) ?? request.Rate,
            Percentile = words.GetValue(_percentile) ?? request.Percentile,
        };
    }
}
