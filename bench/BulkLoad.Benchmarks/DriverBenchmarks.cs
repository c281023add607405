using BenchmarkDotNet.Attributes;
using BulkLoad.Benchmarks.Drivers;

namespace BulkLoad.Benchmarks;

/// <summary>Rows one by one and as a batch: the shapes of <c>bulkload bench drivers</c>, beside other drivers.</summary>
[MemoryDiagnoser]
public class DriverBenchmarks
{
    private BenchServer? _server;
    private IDriver? _driver;
    private long[] _ids = [];

    /// <summary>Those that the environment names.</summary>
    public static IEnumerable<string> Servers => BenchServer.Names;

    /// <summary>Those that the program was built with.</summary>
    public static IEnumerable<string> Drivers => BenchServer.Drivers;

    [ParamsSource(nameof(Servers))]
    public string Server { get; set; } = "";

    [ParamsSource(nameof(Drivers))]
    public string Driver { get; set; } = "";

    [ParamsAllValues]
    public RowOperation Operation { get; set; }

    [Params(100, 1_000, 10_000)]
    public int Rows { get; set; }

    // Whoever runs these does not wait for a task here.
    [GlobalSetup]
    public void SetUp() => SetUpAsync().GetAwaiter().GetResult();

    [GlobalCleanup]
    public void CleanUp() => CleanUpAsync().GetAwaiter().GetResult();

    [IterationSetup]
    public void Fill() => _server!.FillAsync(Operation == RowOperation.Insert ? 0 : Rows * 2).GetAwaiter().GetResult();

    [Benchmark(Baseline = true)]
    public async Task RowByRow() => Require(await _driver!.RowByRowAsync(Operation, _ids));

    [Benchmark]
    public async Task BatchInTransaction() => Require(await _driver!.BatchAsync(Operation, _ids));

    private void Require(long rows)
    {
        if (rows != Rows)
        {
            throw new InvalidOperationException($"{rows} rows of {Rows}");
        }
    }

    private async Task SetUpAsync()
    {
        _server = await BenchServer.OpenAsync(Server);
        _driver = await _server.ConnectAsync(Driver);
        _ids = [.. Enumerable.Range(1, Rows).Select(number => Operation == RowOperation.Insert ? number : number * 2L)];
    }

    private async Task CleanUpAsync()
    {
        await _driver!.DisposeAsync();
        await _server!.DisposeAsync();
    }
}
