using System.CommandLine;
using BulkLoad.Bench;
using BulkLoad.Bench.Oltp;
using BulkLoad.Cli.Options;

namespace BulkLoad.Cli.Commands;

internal sealed class BenchCommand : Command
{
    public static readonly CommandEntry Entry = new(
        "bench", "Measure calls, strategies, sizes, transactions and drivers on your own server; tune imports. Nothing is left behind.",
        (_, context) => new BenchCommand(context));

    private static readonly CommandEntry[] All =
    [
        new("calls",
            "Measure what one call costs: queries and executions, simple and prepared, of one row and many; blobs; opening a session.",
            Calls),
        new("strategies",
            "Measure every strategy of the catalogue, and every method to send a batch; or every import strategy with your own files.",
            Strategies),
        new("sizes", "Measure how many rows and bytes per statement are best, also over longer routes to the server.", Sizes),
        new("oltp", "Measure short transactions of many sessions, as sysbench's OLTP tests do.", Oltp),
        new("drivers",
            "Measure inserts, selects, updates and deletes through the driver core: row by row, and as a batch in a transaction.",
            Drivers),
        new("tune",
            "Measure the best strategy, batch sizes and sessions for imports on this server; write a profile for import --profile.",
            Tune),
    ];

    private BenchCommand(CommandContext context) : base(Entry.Word, Entry.Description)
    {
        CommandEntry.Add(this, context, depth: 1, All);
        SetAction(_ =>
        {
            HelpText.Write(context.Host.Error, this, context.Host.HelpWidth());
            return (int)ExitCode.WrongRequest;
        });
    }

    private static MeasuringCommand Calls(CommandEntry entry, CommandContext context)
    {
        var own = new CallsArguments();
        return new MeasuringCommand(entry, context, [own], "",
            (connection, words) => own.Apply(new CallsRequest { Connection = connection }, words),
            [
                ("bulkload bench calls -D test", "calls a second, latency, and bytes allocated for each call"),
                ("bulkload bench calls -D test --calls 10k --repeat 11 --html calls.html", "longer, and as a page with charts"),
            ]);
    }

    private static MeasuringCommand Strategies(CommandEntry entry, CommandContext context)
    {
        var batches = new BatchRowsArguments(
            "sizes of the batches that every method sends (default: 100,1000,10000); empty for none");
        var own = new OwnFileArguments();
        return new MeasuringCommand(entry, context, [batches, .. own.Groups], "[FILE...]",
            (connection, words) =>
            {
                var request = new StrategiesRequest { Connection = connection, Load = own.Bind(connection, words) };
                return request with { BatchRows = batches.Apply(request.BatchRows, words) };
            },
            [
                ("bulkload bench strategies -D test", "import, update and delete by every strategy, batches by every method"),
                ("bulkload bench strategies people.csv --table people -D shop",
                    "your file, into a copy of your table that is dropped at the end"),
                ("bulkload bench strategies -D test --rows 1M --batch-rows '' --html strategies.html",
                    "strategies alone, with a million rows"),
            ], argument: own.Files);
    }

    private static MeasuringCommand Sizes(CommandEntry entry, CommandContext context)
    {
        var own = new SizesArguments();
        return new MeasuringCommand(entry, context, [own], "",
            (connection, words) => own.Apply(new SizesRequest { Connection = connection }, words),
            [
                ("bulkload bench sizes -D test", "INSERTs and LOAD DATA by rows and bytes a statement"),
                ("bulkload bench sizes -D test --latency 0.1,1,10,50ms --html sizes.html", "also over longer routes, with curves"),
            ]);
    }

    private static MeasuringCommand Oltp(CommandEntry entry, CommandContext context)
    {
        var own = new OltpArguments();
        var steps = new Argument<string[]>("WORD")
        {
            Arity = ArgumentArity.ZeroOrMore,
            Description = "prepare: make and fill the tables; run: measure with them; cleanup: drop them. Without a word: all three",
        };
        return new MeasuringCommand(entry, context, [own], "[prepare | run | cleanup]",
            (connection, words) => own.Apply(
                new OltpRequest
                {
                    Connection = connection,
                    Rows = 10_000,
                    Repeats = 1,
                    Step = (words.GetValue(steps) ?? []) switch
                    {
                        [] => OltpStep.All,
                        ["prepare"] => OltpStep.Prepare,
                        ["run"] => OltpStep.Run,
                        ["cleanup"] => OltpStep.CleanUp,
                        var others => throw new RequestException(
                            $"bench oltp: '{string.Join(' ', others)}' is none of prepare, run and cleanup"),
                    },
                },
                words),
            [
                ("bulkload bench oltp -D test --workload read-only,point-select --threads 1,2,4,8 --html oltp.html",
                    "tables made, measured with and dropped; curves over threads"),
                ("bulkload bench oltp prepare -D test --tables 4 --table-size 100k", "tables that stay"),
                ("bulkload bench oltp run -D test --tables 4 --table-size 100k --threads 8 --time 60s --report-interval 5s",
                    "measured with these"),
                ("bulkload bench oltp cleanup -D test", "and dropped"),
            ],
            new BenchArguments("--table-size", "10k", 1), argument: steps);
    }

    private static MeasuringCommand Drivers(CommandEntry entry, CommandContext context)
    {
        var batches = new BatchRowsArguments();
        return new MeasuringCommand(entry, context, [batches], "",
            (connection, words) =>
            {
                var request = new DriversRequest { Connection = connection };
                return request with { BatchRows = batches.Apply(request.BatchRows, words) };
            },
            [
                ("bulkload bench drivers -D test", "of 100, 1,000 and 10,000 rows"),
                ("bulkload bench drivers -D test --batch-rows 500 --html drivers.html", "of 500 rows, and as a page with charts"),
            ],
            new BenchArguments(rows: null));
    }

    private static MeasuringCommand Tune(CommandEntry entry, CommandContext context)
    {
        var own = new OwnFileArguments();
        return new MeasuringCommand(entry, context, own.Groups, "[FILE...]",
            (connection, words) => new TuneRequest
            {
                Connection = connection,
                Rows = TuneRequest.DefaultRows,
                Load = own.Bind(connection, words),
            },
            [
                ("bulkload bench tune -D test --profile server.json", "measures with the bench's own table"),
                ("bulkload bench tune people.csv --table people -D shop --profile server.json",
                    "with your file and a copy of your table"),
                ("bulkload import people.csv -D shop --profile server.json --plan --verbose", "what an import makes of it"),
            ],
            new BenchArguments(defaultRows: "200k"), new BenchOutputArguments(writesProfile: true), argument: own.Files);
    }
}
