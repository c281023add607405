using System.Collections.Concurrent;
using System.Security.Cryptography;
using BulkLoad.DataSet;

namespace BulkLoad.IntegrationTests.DataSet;

/// <summary>
/// The benchmarks' rows, fewer of them: every format by every strategy leaves the table that the server's own client loads.
/// bench/all-formats.sh does the same with a million.
/// </summary>
public sealed class DataSetTests(DataSetFiles files) : IClassFixture<DataSetFiles>
{
    private static readonly string[] Formats = ["csv", "tsv", "mysql", "jsonl", "gz", "pipe"];

    public static TheoryData<string, string, string> All =>
        [.. from server in new[] { Servers.MariaDb, Servers.MySql } from strategy in Servers.StrategiesOf(server) from format in Formats
            select (server, strategy, format)];

    [Theory]
    [MemberData(nameof(All))]
    public async Task Every_format_by_every_strategy_leaves_what_the_servers_own_client_loads(string server, string strategy, string format)
    {
        var expected = await files.ExpectedAsync(Servers.Get(server));
        await using var place = await Workplace.CreateAsync(Servers.Get(server), DataSetFiles.Rows.TableSql);
        var isPipe = format == "pipe";
        var file = files.PathOf(isPipe ? DataFormat.Csv : Enum.Parse<DataFormat>(format, ignoreCase: true));
        string[] form = format == "mysql" ? ["--format", "mysql"] : [];
        using var program = place.Start(
            ["import", isPipe ? "-" : file, "--table", DataSetFiles.Rows.Table, "--strategy", strategy, "--rows-per-chunk", "7k", .. form]);
        if (isPipe)
        {
            await using var content = File.OpenRead(file);
            await content.CopyToAsync(program.Input);
        }

        program.Input.Close();
        (await program.EndAsync()).ShouldExitWith(0);
        Assert.Equal(expected, await DataSetFiles.ChecksumAsync(place));
    }
}

/// <summary>The files, written once, and what each server's own client makes of them.</summary>
public sealed class DataSetFiles : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("bulkload-dataset-");
    private readonly ConcurrentDictionary<string, Lazy<Task<string>>> _expected = [];

    public DataSetFiles() => Rows.WriteFiles(_folder.FullName, Enum.GetValues<DataFormat>());

    internal static UserDataSet Rows { get; } = new(20_000, 20261) { IsShuffled = true };

    public void Dispose() => _folder.Delete(recursive: true);

    internal string PathOf(DataFormat format) => Path.Combine(_folder.FullName, Rows.FileName(format));

    internal Task<string> ExpectedAsync(TestServer server) =>
        _expected.GetOrAdd(server.Name, _ => new Lazy<Task<string>>(() => LoadAsync(server))).Value;

    /// <summary>Rows, and a hash over all columns in the order of the key.</summary>
    internal static async Task<string> ChecksumAsync(Workplace place)
    {
        var rows = await place.QueryAsync($"SELECT id, HEX(name), age, HEX(email), score, created FROM {Rows.Table} ORDER BY id;");
        return $"{rows.Count(character => character == '\n') - 1} "
            + $"{Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(rows)))}";
    }

    private async Task<string> LoadAsync(TestServer server)
    {
        await using var place = await Workplace.CreateAsync(server, Rows.TableSql);
        var load = Rows.LoadExpectedSql.Replace(Rows.FileName(DataFormat.Mysql), PathOf(DataFormat.Mysql), StringComparison.Ordinal);
        var warnings = await ServerClient.RunAsync(server, place.Database, load, "--local-infile=1", "--skip-column-names");
        Assert.Equal("0\n", warnings);
        var checksum = await ChecksumAsync(place);
        Assert.StartsWith($"{Rows.Rows} ", checksum, StringComparison.Ordinal);
        return checksum;
    }
}
