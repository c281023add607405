using System.IO.Compression;
using System.Security.Cryptography;
using System.Text.Json;
using BulkLoad.Core.Input;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.IntegrationTests.Differential;

/// <summary>A random table and a random file for it, both wholly given by the seed.</summary>
internal sealed class DifferentialCase
{
    private static readonly InputFormat[] Formats = [InputFormat.Csv, InputFormat.Tsv, InputFormat.Mysql, InputFormat.Jsonl];
    private static readonly string[] ServersOnly = ["duplicate-key", "foreign-key", "check-constraint", "trigger-signal"];

    private readonly IReadOnlyList<string> _strategies;
    private readonly FileForm _form;
    private readonly RandomTable _table;
    private readonly RandomFile _file;
    private readonly int? _rowsPerBatch;
    private readonly int? _rowsPerChunk;
    private readonly int? _threads;
    private readonly bool _isAtomic;
    private readonly bool _isChecked;

    public DifferentialCase(int seed, IReadOnlyList<string> strategies)
    {
        Seed = seed;
        var random = new Random(seed);
        var format = Formats[(uint)seed % Formats.Length];
        _form = new FileForm(format, format != InputFormat.Mysql && random.Next(8) == 0)
        {
            Rounds = random.Next(4) == 0,
            TakesZeroDates = random.Next(4) == 0,
            RepairsDirt = format != InputFormat.Jsonl && random.Next(4) == 0,
        };
        _table = RandomTable.Create(random, _form);
        _file = new RandomFile(random, _table, _form);

        // MariaDB's LOAD DATA tells of no conversion in an expression, and is unfit.
        var isMariaDb = strategies.Contains("bulk-execute");
        _strategies = isMariaDb && _table.Sets.Any() ? [.. strategies.Where(strategy => strategy != "load-data")] : strategies;
        _rowsPerBatch = Cell.Pick<int?>(random, [null, null, 1, 2, 3, 7, 40]);
        _isAtomic = random.Next(4) == 0;
        _isChecked = random.Next(3) == 0;
        _rowsPerChunk = _isAtomic ? null : Cell.Pick<int?>(random, [null, 1, 5, 16]);
        _threads = Cell.Pick<int?>(random, [null, 2, 3]);
    }

    public int Seed { get; }

    public int Records => _file.Records.Count;

    public bool IsFor(TestServer server) => _table.Server is null || _table.Server == server.Name;

    /// <summary>Makes a table for each strategy; needs a table <c>parent</c>.</summary>
    public string CreateSql => string.Concat(_strategies.Select(strategy => _table.CreateSql(TableOf(strategy))));

    /// <summary>Shows the tables, a line of the name before the rows of each.</summary>
    public string ReadSql =>
        string.Concat(_strategies.Select(strategy => $"SELECT '# {TableOf(strategy)}';\n{_table.ReadSql(TableOf(strategy))}\n"));

    /// <summary>Checks the file without the server and with it, where the case does, and loads it by each strategy.</summary>
    /// <returns>what is wrong with the reports</returns>
    public async Task<List<string>> LoadAsync(TestServer server, string database, string folder)
    {
        var path = Path.Combine(folder, FileName);
        await WriteAsync(path);
        var faults = new List<string>();
        if (_isChecked)
        {
            var check = Request(server, database, path, _strategies[(int)((uint)Seed % _strategies.Count)]) with
            { Mode = JobMode.Check, Atomic = false, RowsPerChunk = null, Verify = VerifyMode.None };
            faults.AddRange(JudgeCheck(await RunAsync(check with { Strategy = null })).Select(fault => $"check: {fault}"));
            faults.AddRange(Judge(await RunAsync(check with { Mode = JobMode.ServerCheck }), isCheck: true)
                .Select(fault => $"check --on-server: {fault}"));
        }

        foreach (var strategy in _strategies)
        {
            faults.AddRange(Judge(await RunAsync(Request(server, database, path, strategy))).Select(fault => $"{strategy}: {fault}"));
        }

        return faults;
    }

    /// <summary>Compares the rows of the server's own client, in any order, with those that there must be.</summary>
    /// <param name="rowsOf">lines by table, as <see cref="ReadSql"/> gives them</param>
    public IEnumerable<string> Compare(IReadOnlyDictionary<string, List<string>> rowsOf)
    {
        var expected = _file.Records.Where(record => record.Row is not null)
            .Select(record => string.Join(" | ", record.Row!.Select(Show))).ToList();
        foreach (var strategy in _strategies)
        {
            var found = rowsOf[TableOf(strategy)].Select(Decode).ToList();
            foreach (var row in Without(expected, found))
            {
                yield return $"{strategy}: missing: {row}";
            }

            foreach (var row in Without(found, expected))
            {
                yield return $"{strategy}: not expected: {row}";
            }
        }
    }

    public string Describe() =>
        $"{_table.CreateSql("t")}rows per batch {_rowsPerBatch}, {(_isAtomic ? "atomic" : $"per chunk {_rowsPerChunk}")}, threads "
            + $"{_threads}, {Options}{string.Concat(_table.Sets.Select(column => $"--set {column.Name}={column.Set!.Sql}, "))}"
            + $"{(_file.HasHeader ? "header" : "no header")}, {(_file.NamesColumns ? "--columns" : "columns by name")} "
            + $"{string.Join(", ", _file.FieldColumns)}{(_form.IsUtf16 ? ", UTF-16" : "")}\n"
        + string.Concat(_file.Records.Select(
            (record, i) => $"{i + 1,3} {record.Code ?? "ok",-18} {Printable(Encoding.UTF8.GetString(record.Text))}\n"));

    private string Options => $"{(_form.Rounds ? "--round, " : "")}{(_form.TakesZeroDates ? "--zero-dates, " : "")}"
        + $"{(_form.RepairsDirt ? "--dirt all=repair, " : "")}";

    private string FileName =>
        $"{Seed}.{(_form.Format == InputFormat.Mysql ? "txt" : _form.Format.ToString().ToLowerInvariant())}{(_file.IsGzip ? ".gz" : "")}";

    private string TableOf(string strategy) => $"t{(uint)Seed}_{strategy[0]}";

    private async Task WriteAsync(string path)
    {
        await using var file = File.Create(path);
        await using Stream content = _file.IsGzip ? new GZipStream(file, CompressionLevel.Fastest) : file;
        await content.WriteAsync(_file.Content);
    }

    private static Task<LoadReport> RunAsync(LoadRequest request) =>
        new LoadJob(request, NullLoggerFactory.Instance).RunAsync(CancellationToken.None);

    private LoadRequest Request(TestServer server, string database, string path, string strategy) => new()
    {
        Reload = true,
        Files = [path],
        Table = TableOf(strategy),
        Connection = server.Options() with { Database = database },
        Strategy = strategy,
        Source = new SourceOptions
        {
            Format = _form.Format,
            HasHeader = _form.IsJson ? null : _file.HasHeader,
            Encoding = _file.LooksLikeNoUtf8 ? "utf-8" : null,
            Dirt = _form.RepairsDirt ? DirtPolicies.None.With(null, DirtAction.Repair) : DirtPolicies.None
        },
        Columns = _file.NamesColumns ? _file.FieldColumns : null,
        Map = _file.NamesColumns ? []
            : [.. _table.Sets.Select(column => KeyValuePair.Create(_form.IsJson ? $"{column.Name}?" : column.Name, $"@{column.Name}"))],
        Assignments = [.. _table.Sets.Select(column => new ColumnAssignment(
            column.Name, string.Format(CultureInfo.InvariantCulture, column.Set!.Sql, $"@{column.Name.ToUpperInvariant()}")))],
        Values = new ValueOptions
        {
            TimeZone = "UTC",
            Round = _form.Rounds,
            ZeroDates = _form.TakesZeroDates,

            // A server writes the bytes of a BIT, and the files here have its number.
            BinaryColumns = [.. _table.Columns
                .Where(column => _form.Format == InputFormat.Mysql && column.Type.Ddl.StartsWith("BIT", StringComparison.Ordinal))
                .Select(column => new BinaryColumn(column.Name, BinaryForm.Number))],
        },
        Atomic = _isAtomic,
        Verify = (VerifyMode)((uint)Seed % 3),
        RowsPerBatch = _rowsPerBatch,
        RowsPerChunk = _rowsPerChunk,
        Threads = _threads,
        MaxRejects = RejectLimit.OfRecords(_file.Records.Count),
    };

    private IEnumerable<string> Judge(LoadReport report, bool isCheck = false)
    {
        // Rows that nothing could verify stay, and the job says so.
        var isUnverified =
            report is { Failure: ReconciliationException { Message: var words }, Verification.Result: VerifyResult.Unverifiable }
            && words.Contains(" could verify no row", StringComparison.Ordinal);
        if (!isUnverified && (report.Failure is not null || report.Outcome != LoadOutcome.Complete))
        {
            yield return $"{report.Outcome}: {report.Failure?.Message}";
            yield break;
        }

        var good = _file.Records.Count(record => record.Row is not null);
        var counts = new LoadCounts { Read = _file.Records.Count, Rejected = _file.Records.Count - good };
        counts = isCheck ? counts with { Accepted = good } : counts with { Inserted = good };
        if (report.Verification is { } verification && verification.Result != (verification.Reason is not null
            ? VerifyResult.Unverifiable : verification.UndecidedRows > 0 && verification.Rows > 0 ? VerifyResult.Partial
            : verification.UndecidedRows > 0 ? VerifyResult.Unverifiable : VerifyResult.Equal))
        {
            yield return $"{verification}";
        }

        if (report.Counts with { Verified = 0 } != counts)
        {
            yield return $"{_file.Records.Count} records, {good} good: {report.Counts}";
        }

        foreach (var (kind, lines) in _file.PassedLines)
        {
            if (report.RepairsByKind.GetValueOrDefault(kind) != lines)
            {
                yield return $"{lines} {kind}: {report.RepairsByKind.GetValueOrDefault(kind)} repaired";
            }
        }

        var (expected, found) = (ExpectedRejects(_ => true), Rejects(report));
        foreach (var reject in Without(expected, found))
        {
            yield return $"not rejected so: {reject}";
        }

        foreach (var reject in Without(found, expected))
        {
            yield return $"rejected: {reject}: {report.FirstRejects[found.IndexOf(reject)].Message}";
        }

        if (expected.Count == found.Count && !expected.SequenceEqual(found) && expected.ToHashSet().SetEquals(found))
        {
            yield return "the rejects are not in the file's order";
        }
    }

    /// <summary>
    /// What reader and rules refuse is refused; what only the server would refuse is, or is undecided for a reason that the table gives.
    /// </summary>
    private IEnumerable<string> JudgeCheck(LoadReport report)
    {
        if (report.Failure is not null || report.Outcome != LoadOutcome.Complete)
        {
            yield return $"{report.Outcome}: {report.Failure?.Message}";
            yield break;
        }

        var (found, all) = (Rejects(report), ExpectedRejects(_ => true));
        var missing = Without(all, found);
        foreach (var reject in Without(found, all).Concat(Without(ExpectedRejects(code => !ServersOnly.Contains(code)), found)))
        {
            yield return $"not the import's, or missing: {reject}";
        }

        var counts = report.Counts;
        if (counts.Read != _file.Records.Count || counts.Rejected != found.Count
            || counts.Accepted + counts.Undecided + counts.Rejected != counts.Read || counts.Undecided < missing.Count)
        {
            yield return $"{_file.Records.Count} records, {missing.Count} of which only the server refused: {counts}";
        }

        foreach (var undecided in report.UndecidedByReason.Where(undecided => !_table.CanBeUndecided(undecided.Reason)))
        {
            yield return $"undecided for no reason of this table's: {undecided}";
        }
    }

    private List<string> ExpectedRejects(Func<string, bool> isMeant) =>
    [
        .. _file.Records.Select((record, i) => (Number: i + 1L, record)).Where(pair => pair.record.Code is { } code && isMeant(code))
            .Select(pair => Describe(pair.Number, pair.record.Code!, pair.record.Line, pair.record.Offset, pair.record.Text)),
    ];

    private static List<string> Rejects(LoadReport report) =>
        [.. report.FirstRejects.Select(reject => Describe(reject.Record, reject.Code, reject.Line, reject.Offset, reject.Text.Span))];

    private static string Describe(long record, string code, long line, long offset, ReadOnlySpan<byte> text) =>
        $"record {record}, {code}, line {line}, offset {offset}, {Printable(Encoding.UTF8.GetString(text))}";

    private static List<string> Without(List<string> rows, List<string> others)
    {
        var left = rows.ToList();
        foreach (var other in others)
        {
            left.Remove(other);
        }

        return left;
    }

    private string Decode(string line) =>
        string.Join(" | ", line.Split('\t').Select((text, i) => Show(Normal(_table.Columns[i].Type, text))));

    private static string? Normal(ColumnType type, string printed)
    {
        if (printed == "NULL")
        {
            return null;
        }

        var text = type.IsPlain ? printed : Encoding.UTF8.GetString(Convert.FromHexString(printed));
        try
        {
            return type.Normalize(text);
        }
        catch (Exception fault) when (fault is FormatException or JsonException)
        {
            return $"{text} ({fault.Message})";
        }
    }

    private static string Show(string? text) => text is null ? "NULL" : $"'{Printable(text)}'";

    private static string Printable(string text)
    {
        var shown = string.Concat(text.EnumerateRunes()
            .Select(rune => Rune.IsControl(rune) || rune.Value is '\\' or 0x2028 or 0x202e ? $"\\x{rune.Value:x2}" : rune.ToString()));
        return shown.Length <= 300 ? shown
            : $"{shown[..300]}... ({shown.Length} characters, {Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(shown)))[..8]})";
    }
}
