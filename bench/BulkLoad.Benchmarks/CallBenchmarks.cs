using BenchmarkDotNet.Attributes;
using BulkLoad.Benchmarks.Drivers;

namespace BulkLoad.Benchmarks;

/// <summary>What one call costs: the shapes of <c>bulkload bench calls</c>, beside other drivers.</summary>
[MemoryDiagnoser]
public class CallBenchmarks
{
    private const int All = 100_000;
    private const int Many = 1_000;

    private BenchServer? _server;
    private IDriver? _driver;
    private long _call;

    /// <inheritdoc cref="DriverBenchmarks.Servers"/>
    public static IEnumerable<string> Servers => BenchServer.Names;

    /// <inheritdoc cref="DriverBenchmarks.Drivers"/>
    public static IEnumerable<string> Drivers => BenchServer.Drivers;

    [ParamsSource(nameof(Servers))]
    public string Server { get; set; } = "";

    [ParamsSource(nameof(Drivers))]
    public string Driver { get; set; } = "";

    // Whoever runs these does not wait for a task here.
    [GlobalSetup]
    public void SetUp() => SetUpAsync().GetAwaiter().GetResult();

    [GlobalCleanup]
    public void CleanUp() => CleanUpAsync().GetAwaiter().GetResult();

    [Benchmark]
    public Task SimpleScalar() => _driver!.ScalarAsync(isPrepared: false);

    [Benchmark]
    public Task PreparedScalar() => _driver!.ScalarAsync(isPrepared: true);

    [Benchmark]
    public Task<long> SimpleQueryOfOne() => RequireAsync(_driver!.QueryAsync(Next(1), 1, isPrepared: false), 1);

    [Benchmark]
    public Task<long> PreparedQueryOfOne() => RequireAsync(_driver!.QueryAsync(Next(1), 1, isPrepared: true), 1);

    [Benchmark]
    public Task<long> SimpleQueryOf1000() => RequireAsync(_driver!.QueryAsync(Next(Many), Many, isPrepared: false), Many);

    [Benchmark]
    public Task<long> PreparedQueryOf1000() => RequireAsync(_driver!.QueryAsync(Next(Many), Many, isPrepared: true), Many);

    [Benchmark]
    public Task<long> SimpleQueryOf100000() => RequireAsync(_driver!.QueryAsync(1, All, isPrepared: false), All);

    [Benchmark]
    public Task<long> PreparedQueryOf100000() => RequireAsync(_driver!.QueryAsync(1, All, isPrepared: true), All);

    [Benchmark]
    public Task<long> BlobOf64KiB() => RequireAsync(_driver!.ReadBlobAsync(1), BenchServer.SmallBlob);

    [Benchmark]
    public Task<long> BlobOf1MiB() => RequireAsync(_driver!.ReadBlobAsync(2), BenchServer.LargeBlob);

    [Benchmark]
    public Task<long> SimpleExecution() => _driver!.ExecuteAsync(Next(1), isPrepared: false);

    [Benchmark]
    public Task<long> PreparedExecution() => _driver!.ExecuteAsync(Next(1), isPrepared: true);

    [Benchmark]
    public Task OpeningASession() => _driver!.OpenAsync();

    /// <exception cref="InvalidOperationException">the answer is another one: what it took says nothing</exception>
    private static async Task<long> RequireAsync(Task<long> answer, long expected) =>
        await answer is var found && found == expected ? found : throw new InvalidOperationException($"{found}, and should have been {expected}");

    /// <summary>Rows all over the table.</summary>
    private long Next(int rows) => 1 + (_call++ * 7919L % (All - rows + 1));

    private async Task SetUpAsync()
    {
        _server = await BenchServer.OpenAsync(Server);
        await _server.FillAsync(All);
        _driver = await _server.ConnectAsync(Driver);
        await _driver.BeginAsync();
    }

    private async Task CleanUpAsync()
    {
        await _driver!.DisposeAsync();
        await _server!.DisposeAsync();
    }
}
