using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Tests.Keys;
using BulkLoad.Tests.Sending;
using BulkLoad.Tests.Values;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Tests.Jobs;

/// <summary>A check whose keys rise reads once; any other finds what two passes find. Blocks have three records.</summary>
public sealed class CheckPassesTests : IDisposable
{
    private static readonly TableColumn[] IdAndText =
        [Columns.Integer("id", 8).Required(), Columns.Varchar("s", collation: "utf8mb4_general_ci")];

    private static readonly UniqueKey Primary = Checks.Key("PRIMARY", "id");

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("bulkload-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData("", "0 0 0: ", false)]
    [InlineData("1,a\n2,b\n3,c\n4,d\n5,e\n6,f\n7,g\n", "7 0 0: ", false)]
    [InlineData("-10,a\n-9,b\n-1,c\n0,d\n9,e\n10,f\n100,g\n", "7 0 0: ", false)]
    [InlineData("1,a\nx,b\n2,c\n2\n2,d,e\n3,f\n,g\n4,h\n",
        "4 0 4: 2=not-an-integer 4=few-fields 5=many-fields 7=null-not-allowed", false)]
    [InlineData("1,a\n2,b\n3,c\n3,d\n4,e\n", "4 0 1: 4=duplicate-key", true)]
    [InlineData("1,a\n2,b\n3,c\n4,d\n5,e\n6,f\n1,g\n", "6 0 1: 7=duplicate-key", true)]
    [InlineData("1,a\n2,b\n3,c\n4,d\n5,e\nx,f\n5,g\n6,h\n", "6 0 2: 6=not-an-integer 7=duplicate-key", true)]
    [InlineData("9,a\n10,b\n9,c\n", "2 0 1: 3=duplicate-key", true)]
    [InlineData("-9,a\n-10,b\n", "2 0 0: ", true)]
    public async Task Numbers_rise_by_their_value(string records, string expected, bool isReadTwice) =>
        await ExpectAsync(IdAndText, Checks.With(Primary), "id,s\n" + records, expected, isReadTwice);

    [Fact]
    public async Task Keys_of_the_next_file_rise_on()
    {
        var rising = await BothAsync(IdAndText, Checks.With(Primary), [("a.csv", "id,s\n1,a\n2,b\n"), ("b.csv", "id,s\n3,c\n")]);
        var equal = await BothAsync(IdAndText, Checks.With(Primary), [("a.csv", "id,s\n1,a\n2,b\n"), ("b.csv", "id,s\n2,c\n3,d\n")]);
        Assert.Equal(("3 0 0: ", false), (Checks.Describe(rising), Checks.IsReadTwice(rising)));
        Assert.Equal(("3 0 1: 1=duplicate-key", true), (Checks.Describe(equal), Checks.IsReadTwice(equal)));
    }

    [Theory]
    [InlineData("decimal", "-2.5\n-2.25\n9.5\n10\n10.01\n", "5 0 0: ", false)]
    [InlineData("decimal", "9.5\n9.50\n", "1 0 1: 2=duplicate-key", true)]
    [InlineData("date", "2024-12-31\n2025-01-01\n2026-02-01\n", "3 0 0: ", false)]
    [InlineData("date", "2024-12-31\n2025-01-01\n2025-01-01\n", "2 0 1: 3=duplicate-key", true)]
    [InlineData("time", "-100:00:00\n-09:00:00\n09:00:00\n100:00:00\n", "4 0 0: ", false)]
    [InlineData("binary text", "a\nab\nb\n", "3 0 0: ", false)]
    [InlineData("text", "a\nB\nc\nD\n", "4 0 0: ", false)]
    [InlineData("text", "a\nB\nb\n", "2 0 1: 3=duplicate-key", true)]
    [InlineData("text", "a\na \n", "1 0 1: 2=duplicate-key", true)]
    [InlineData("text", "é\nê\n", "1 1 0:  key-comparison*1", false)]
    [InlineData("czech text", "a\nb\n", "1 1 0:  key-comparison*1", false)]
    [InlineData("double", "1\n1.5\n2\n", "1 2 0:  key-comparison*2", false)]
    public async Task Each_type_has_an_order(string type, string values, string expected, bool isReadTwice)
    {
        var column = type switch
        {
            "decimal" => Columns.Decimal(6, 2),
            "date" => Columns.Date(),
            "time" => Columns.Time(),
            "binary text" => Columns.Varchar(),
            "text" => Columns.Varchar(collation: "utf8mb4_general_ci"),
            "czech text" => Columns.Varchar(collation: "utf8mb4_czech_ci"),
            _ => Columns.Double(),
        };
        await ExpectAsync([column], Checks.With(Checks.Key("k", column.Name)), $"{column.Name}\n{values}", expected, isReadTwice);
    }

    [Theory]
    [InlineData("1,1\n1,2\n2,1\n10,1\n", "4 0 0: ", false)]
    [InlineData("1,1\n1,1\n", "1 0 1: 2=duplicate-key", true)]
    [InlineData("1,2\n1,1\n", "2 0 0: ", true)]
    [InlineData("5,\n1,\n1,\n,2\n6,1\n,1\n7,1\n", "7 0 0: ", false)]
    [InlineData("6,1\n,1\n6,1\n", "2 0 1: 3=duplicate-key", true)]
    public async Task Null_is_passed_over_in_a_key_of_two_columns(string records, string expected, bool isReadTwice) =>
        await ExpectAsync(
            [Columns.Integer("a"), Columns.Integer("b")], Checks.With(Checks.Key("k", "a", "b")), "a,b\n" + records, expected, isReadTwice);

    [Theory]
    [InlineData("1,a\n2,b\n3,c\n4,\n5,d\n", "5 0 0: ", false)]
    [InlineData("1,a\n2,b\n3,c\n4,d\n5,c\n", "4 0 1: 5=duplicate-key", true)]
    [InlineData("1,b\n2,a\n", "2 0 0: ", true)]
    public async Task All_keys_must_rise(string records, string expected, bool isReadTwice) =>
        await ExpectAsync(IdAndText, Checks.With(Primary, Checks.TextKey()), "id,s\n" + records, expected, isReadTwice);

    [Theory]
    [InlineData("1,a\n,b\n2,c\n,d\n", "3 1 0:  key-comparison*1", false)]
    [InlineData(",a\n1,b\n,c\n2,d\n1,e\n", "2 2 1: 5=duplicate-key key-comparison*2", true)]
    public async Task An_id_that_the_server_makes_is_passed_over(string records, string expected, bool isReadTwice) =>
        await ExpectAsync([Columns.Id(), Columns.Varchar("s")], Checks.With(Primary), "id,s\n" + records, expected, isReadTwice);

    [Fact]
    public async Task The_limit_stops_at_the_same_record()
    {
        var request = Checks.Request with { GoesOnBeyondMaxRejects = false, MaxRejects = RejectLimit.OfRecords(1) };
        foreach (var content in new[] { "id,s\n1,a\nx,b\n2,c\n3,d\ny,e\n4,f\n5,g\n", "id,s\n1,a\nx,b\n2,c\n3,d\n3,e\n4,f\n5,g\n" })
        {
            var report = await BothAsync(IdAndText, Checks.With(Primary), [("people.csv", content)], request);
            Assert.Equal(2, report.Counts.Rejected);
            Assert.NotNull(report.Failure);
        }
    }

    [Fact]
    public async Task Progress_goes_on_until_it_begins_again()
    {
        var told = new List<LoadProgress>();
        var content = "id,s\n" + string.Concat(Enumerable.Range(1, 30).Select(id => $"{(id == 30 ? 5 : id)},a\n"));
        await Checks.RunAsync(IdAndText, Checks.With(Primary), content, way: new CheckWay(Progress: new Told(told.Add)));
        var again = told.FindIndex(step => step.Held is not null);
        Assert.Equal((3, 28), (told[0].RecordsSent, told[again - 1].RecordsSent));
        Assert.Equal((1, 30), (told[again].RecordsSent, told[^1].RecordsSent));
        foreach (var steps in new[] { told[..again], told[again..] })
        {
            Assert.Equal(steps.Select(step => step.RecordsSent).Order(), steps.Select(step => step.RecordsSent));
            Assert.Equal(steps.Select(step => step.BytesRead).Order(), steps.Select(step => step.BytesRead));
        }

        var judging = told.FindLastIndex(step => step.Held is not null) + 1;
        Assert.Equal(15, told[judging - 1].RecordsSent);
        Assert.All(told[again..judging], step => Assert.Equal("keys do not rise: reading them again", step.Held));
    }

    [Fact]
    public async Task Any_input_gives_what_two_passes_give()
    {
        TableColumn[] columns = [Columns.Integer("a"), Columns.Varchar("s", collation: "utf8mb4_general_ci"), Columns.Integer("boss")];
        UniqueKey[] keys = [Checks.Key("PRIMARY", "a"), Checks.Key("s", "s", "a"), Checks.TextKey()];
        for (var seed = 0; seed < 60; seed++)
        {
            var random = new Random(seed);
            var next = -20;
            var inputs = Enumerable.Range(0, 1 + random.Next(3)).Select(file => ($"{file}.csv", "a,s,boss\n" + string.Concat(
                Enumerable.Range(0, random.Next(60)).Select(_ => Record(random, ref next))))).ToArray();
            var restrictions = Checks.With([.. keys.Take(1 + random.Next(3))]) with
            {
                HasRows = random.Next(3) == 0,
                ForeignKeys = random.Next(2) == 0 ? [] : [Checks.ForeignKey("boss")],
            };
            await BothAsync(columns, restrictions, inputs);
        }
    }

    /// <summary>Ids rise for a while.</summary>
    private static string Record(Random random, ref int next)
    {
        next += random.Next(40) == 0 ? -random.Next(5) : 1 + random.Next(3);
        var id = random.Next(30) switch { 0 => "", 1 => "x", _ => $"{next}" };
        var text = random.Next(8) == 0 ? "" : random.Next(30) == 0 ? "é" : $"{(random.Next(2) == 0 ? "n" : "N")}{next + 1000}";
        return random.Next(25) == 0 ? $"{id}\n" : $"{id},{text},{(random.Next(3) == 0 ? $"{random.Next(9)}" : "")}\n";
    }

    private async Task ExpectAsync(
        TableColumn[] columns, Restrictions restrictions, string content, string expected, bool isReadTwice)
    {
        var report = await BothAsync(columns, restrictions, [("people.csv", content)]);
        Assert.Equal((expected, isReadTwice), (Checks.Describe(report), Checks.IsReadTwice(report)));
    }

    /// <summary>Checks in both ways, and compares all that they tell.</summary>
    private async Task<LoadReport> BothAsync(
        TableColumn[] columns, Restrictions restrictions, (string Name, string Content)[] inputs, LoadRequest? request = null)
    {
        var (told, report) = await TellAsync(watchesKeys: true);
        var (toldByTwo, byTwo) = await TellAsync(watchesKeys: false);
        Assert.Equal(toldByTwo, told);
        Assert.True(Checks.IsReadTwice(byTwo));
        return report;

        async Task<(string[] Told, LoadReport Report)> TellAsync(bool watchesKeys)
        {
            var log = new LinesLog();
            var file = Path.Combine(_folder.FullName, "rejects.csv");
            var asked = (request ?? Checks.Request) with { RejectFile = file, OverwriteRejectFile = true };
            var way = new CheckWay(watchesKeys, Log: log, References: new MissingBosses());
            var report = await Checks.RunAsync(columns, restrictions, inputs, request: asked, sortBytes: 400, way: way);
            string[] lines =
            [
                $"{report.Counts with { Read = 0, NotCommitted = 0 }}", Checks.Describe(report), report.Failure?.Told() ?? "",
                .. report.RejectsByReason.Select(reason => $"{reason}"), .. report.FirstRejects.Select(Line), .. log.Lines,
                TextOf(file), TextOf(asked.RejectReasonsFile!),
            ];
            return (lines, report);
        }
    }

    private static string Line(Reject reject) =>
        $"{reject.Describe()} {reject.Record} {reject.Offset} {Encoding.UTF8.GetString(reject.Text.Span)}";

    /// <summary>A file without rejects is not there.</summary>
    private static string TextOf(string file) => File.Exists(file) ? File.ReadAllText(file) : "";

    /// <summary>There is no boss 7, and only the server knows of boss 8.</summary>
    private sealed class MissingBosses : IRowReferences
    {
        public (string? Column, string Message)? FindMissing(RowBlock block, int row, out bool isUnsure)
        {
            var column = block.ColumnCount - 1;
            var isThere = block.Get(row, column, out var value) == CellState.Value && column == 2;
            isUnsure = isThere && value.SequenceEqual("8"u8);
            return isThere && value.SequenceEqual("7"u8) ? ("boss", "no boss has 7") : null;
        }
    }

    private sealed class LinesLog : ILogger
    {
        public List<string> Lines { get; } = [];

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            Lines.Add(formatter(state, exception));
    }
}
