using System.Text.RegularExpressions;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Tests.Architecture;

/// <summary>The boundaries that docs/design.md draws, kept by looking at the source.</summary>
public sealed partial class BoundaryTests
{
    private const string Core = "src/BulkLoad.Core/";
    private const string Bench = "src/BulkLoad.Bench/";
    private const int MaxLines = 500;
    private const int MaxColumns = 140;

    private static string[] Offenders(string folder, Regex pattern, params string[] allowed) =>
    [
        .. SourceText.Code(folder)
            .Where(file => !allowed.Any(start => file.Path.StartsWith(start, StringComparison.Ordinal)))
            .Where(file => pattern.IsMatch(SourceText.WithoutComments(file.Text)))
            .Select(file => file.Path),
    ];

    [Theory]
    [InlineData(Core, 50)]
    [InlineData(Bench, 20)]
    public void The_source_is_found(string folder, int least) => Assert.True(SourceText.Code(folder).Count() > least);

    /// <summary>But for the relay that stands for a longer way to the server.</summary>
    [Fact]
    public void Sockets_and_tls_are_in_the_protocol_layer_only() =>
        Assert.Empty(Offenders("src/", Network(), Core + "Protocol/", Bench + "Relays/"));

    [Fact]
    public void Sql_is_in_the_sql_layer_and_the_benches_only()
    {
        var found = SourceText.Code("src/")
            .Where(file =>
                !file.Path.StartsWith(Core + "Sql/", StringComparison.Ordinal) && !file.Path.StartsWith(Bench, StringComparison.Ordinal))
            .SelectMany(file =>
                SourceText.Literals(file.Text).Where(literal => Statement().IsMatch(literal)).Select(literal => $"{file.Path}: {literal}"));
        Assert.Empty(found);
    }

    [Theory]
    [InlineData("SELECT 1", true)]
    [InlineData("INSERT INTO t VALUES (1)", true)]
    [InlineData("SAVEPOINT x", true)]
    [InlineData("COMMIT", true)]
    [InlineData("LOAD DATA LOCAL INFILE 'x'", true)]
    [InlineData("LOAD DATA LOCAL works on this route", false)]
    [InlineData("Selected", false)]
    public void A_statement_is_told_from_a_sentence(string literal, bool isStatement) =>
        Assert.Equal(isStatement, Statement().IsMatch(literal));

    /// <summary>One text of several statements is what an injection needs; a bench measures what they cost, with values of its own
    /// only.</summary>
    [Fact]
    public void Only_a_bench_asks_for_several_statements_in_one_text() =>
        Assert.Empty(Offenders("src/", SeveralStatements(), Bench + "BenchPlace.cs"));

    /// <summary>What a caller of the library names is in one namespace (PublicApiTests approve it); all else is internal.</summary>
    [Fact]
    public void Public_types_are_in_the_namespace_of_the_package() => Assert.All(
        new[] { typeof(BulkLoader), typeof(BulkLoad.Bench.BenchReport), typeof(BulkLoad.Seeding.SeedJob) }
            .SelectMany(one => one.Assembly.GetExportedTypes()),
        type => Assert.Equal("BulkLoad", type.Namespace));

    [Fact]
    public void Csvhelper_is_in_the_input_layer_only() => Assert.Empty(Offenders("src/", CsvHelper(), Core + "Input/"));

    [Fact]
    public void Console_logging_and_command_line_are_the_clis() => Assert.Empty(Offenders("src/", Surface(), "src/BulkLoad.Cli/"));

    [Theory]
    [InlineData("Facts/")]
    [InlineData("Planning/")]
    [InlineData("Sql/")]
    public void What_only_thinks_does_not_wait(string layer) => Assert.Empty(Offenders(Core + layer, Waiting()));

    /// <summary>The thread that would have to bring an answer may be the one that waits for it (RuntimeSettings). The relay, and what reads
    /// an input ahead, have threads of their own, which wait for nobody here; on the latter a caller's sequence is read.</summary>
    [Fact]
    public void Nothing_blocks_a_thread_until_something_comes() => Assert.Empty(Offenders(
        "src/", Blocking(), Bench + "Relays/", Core + "Input/Streams/ReadAheadStream.cs", Core + "Library/ObjectStream.cs"));

    [Fact]
    public void Planning_has_no_clock_and_no_files() => Assert.Empty(Offenders(Core + "Planning/", ClockOrFile()));

    /// <summary>A project's folder has the project's name. What callers of the library name is in the package's namespace.</summary>
    [Fact]
    public void A_namespace_is_its_folder() => Assert.Empty(
        from file in SourceText.Code("")
        let match = Namespace().Match(file.Text)
        where match.Success && match.Groups[1].Value != string.Join('.', file.Path.Split('/')[1..^1])
            && !(match.Groups[1].Value == "BulkLoad" && file.Path.StartsWith(Core, StringComparison.Ordinal))
        select file.Path);

    /// <summary>But for a style sheet, and for raw string literals, whose lines are data.</summary>
    [Theory]
    [InlineData("src/"), InlineData("tests/")]
    public void No_line_is_longer_than_140_columns(string folder) =>
        Assert.Empty(SourceText.Code(folder)
            .Where(file => !file.Path.EndsWith("BenchHtml.cs", StringComparison.Ordinal))
            .SelectMany(file => SourceText.WithoutRawText(file.Text).Split('\n')
                .Select((line, i) => (file.Path, Number: i + 1, Line: line)))
            .Where(one => one.Line.EnumerateRunes().Count() > MaxColumns)
            .Select(one => $"{one.Path}:{one.Number}"));

    [Fact]
    public void No_file_is_longer_than_500_lines() =>
        Assert.Empty(SourceText.Code("").Where(file => file.Text.Split('\n').Length > MaxLines + 1).Select(file => file.Path));

    [Fact]
    public void Nothing_is_left_to_do() => Assert.Empty(
        SourceText.Code("").Where(file => !file.Path.EndsWith("Architecture/BoundaryTests.cs", StringComparison.Ordinal))
            .Where(file => Unfinished().IsMatch(file.Text)).Select(file => file.Path));

    [Fact]
    public void Every_strategy_is_described()
    {
        var headings = File.ReadAllLines(Path.Combine(Repository.Root, "docs", "strategies.md"))
            .Where(line => line.StartsWith("## ", StringComparison.Ordinal)).ToArray();
        Assert.All(StrategyCatalog.Import, strategy => Assert.Contains($"## {strategy.Name}", headings));
    }

    [Fact]
    public void No_package_registry_has_its_address_here() => Assert.Empty(
        SourceText.All().Where(file => !file.Path.EndsWith("Architecture/BoundaryTests.cs", StringComparison.Ordinal))
            .Where(file => Registry().IsMatch(file.Text)).Select(file => file.Path));

    [GeneratedRegex(@"SendsSeveralStatements\s*=[^=]", RegexOptions.CultureInvariant)]
    private static partial Regex SeveralStatements();

    [GeneratedRegex(@"\bSystem\.Net\b|\bSslStream\b|\bSocket(Exception)?\(|\bTcpClient\b|\bNetworkStream\b", RegexOptions.CultureInvariant)]
    private static partial Regex Network();

    [GeneratedRegex(
        @"^(SELECT |INSERT INTO |INSERT IGNORE |REPLACE INTO |UPDATE [`{]|DELETE FROM |SET (NAMES|SESSION|GLOBAL|@)"
            + @"|LOAD DATA (LOCAL )?INFILE|SAVEPOINT |ROLLBACK\b|COMMIT\b|START TRANSACTION|BEGIN$|KILL |SHOW "
            + @"|ALTER TABLE [`{]|CREATE |DROP |TRUNCATE |DO \d)",
        RegexOptions.CultureInvariant)]
    private static partial Regex Statement();

    [GeneratedRegex(@"\bCsvHelper\b", RegexOptions.CultureInvariant)]
    private static partial Regex CsvHelper();

    [GeneratedRegex(@"\bConsole\.|\bSerilog\b|\bSystem\.CommandLine\b|\bSpectre\b|\bEnvironment\.Exit", RegexOptions.CultureInvariant)]
    private static partial Regex Surface();

    [GeneratedRegex(@"\basync\b|\bawait\b|\bTask\b|\bValueTask\b", RegexOptions.CultureInvariant)]
    private static partial Regex Waiting();

    [GeneratedRegex(
        @"\.Wait(One|All|Any)?\(|\.GetResult\(\)|\bTask\w*\.Result\b|\bThread\.Sleep\b"
            + @"|\bMonitor\.Wait\b|\bBlockingCollection\b|\bManualResetEvent|\bAutoResetEvent\b",
        RegexOptions.CultureInvariant)]
    private static partial Regex Blocking();

    [GeneratedRegex(@"\bTimeProvider\b|\bDateTime\.(Utc)?Now\b|\bStopwatch\b|\bFile\.|\bStream\b", RegexOptions.CultureInvariant)]
    private static partial Regex ClockOrFile();

    [GeneratedRegex(@"^namespace ([\w.]+);", RegexOptions.Multiline | RegexOptions.CultureInvariant)]
    private static partial Regex Namespace();

    [GeneratedRegex(@"\bTODO\b|\bFIXME\b|\bHACK\b|NotImplementedException", RegexOptions.CultureInvariant)]
    private static partial Regex Unfinished();

    [GeneratedRegex(@"nuget\.org|/v3/index\.json|packageSources|RestoreSources|registry\.npmjs|pypi\.org|/artifactory/",
        RegexOptions.IgnoreCase | RegexOptions.CultureInvariant)]
    private static partial Regex Registry();
}
