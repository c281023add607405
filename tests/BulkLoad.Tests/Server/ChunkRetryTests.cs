using BulkLoad.Core.Server;
using BulkLoad.Tests.Sending;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.Tests.Server;

public sealed class ChunkRetryTests
{
    private static readonly ServerException Deadlock = new(1213, "40001", "Deadlock found");

    /// <summary>Runs steps, a letter each: c commits a chunk, d fails by a deadlock, x for good; a new try continues with the next
    /// letter.</summary>
    private static async Task<(Exception? Fault, ChunkRetry Retry, string Done)> RunAsync(string steps, RetryOptions options)
    {
        var clock = new SkippingClock();
        var retry = new ChunkRetry(options, clock, NullLogger.Instance);
        var (next, commits) = (0, 0L);
        var fault = await Record.ExceptionAsync(() => retry.RunAsync(
            _ =>
            {
                while (next < steps.Length)
                {
                    switch (steps[next++])
                    {
                        case 'c':
                            commits++;
                            break;
                        case 'd':
                            throw Deadlock;
                        default:
                            throw new ReconciliationException("x");
                    }
                }

                return Task.CompletedTask;
            },
            _ => true, () => commits, CancellationToken.None));
        return (fault, retry, steps[..next]);
    }

    [Theory]
    [InlineData("", 2, 0, "")]
    [InlineData("cdc", 2, 1, "cdc")]
    [InlineData("ddc", 2, 2, "ddc")]
    [InlineData("dddc", 2, 2, "ddd")] // no third try
    [InlineData("ddcddcddc", 2, 6, "ddcddcddc")] // a commit starts a new count
    [InlineData("cddd", 2, 2, "cddd")]
    [InlineData("dc", 0, 0, "d")]
    [InlineData("cdx", 2, 1, "cdx")]
    [InlineData("x", 2, 0, "x")]
    public async Task A_fault_that_passes_is_met_by_another_try(string steps, int most, int retries, string done)
    {
        var (fault, retry, actual) = await RunAsync(steps, new RetryOptions(most, TimeSpan.FromHours(1)));
        Assert.Equal((retries, done), (retry.Count, actual));
        Assert.Equal(done.Length == 0 || done[^1] == 'c', fault is null);
        Assert.Equal(retries, retry.Reports.Count);
    }

    [Fact]
    public async Task Tries_end_when_the_time_for_them_is_over()
    {
        var (fault, retry, _) = await RunAsync(new string('d', 50), new RetryOptions(40, TimeSpan.FromMinutes(5)));
        Assert.Same(Deadlock, fault);
        Assert.InRange(retry.Count, 5, 39);
    }

    [Theory]
    [InlineData(1213, "", true)]
    [InlineData(1205, "", true)]
    [InlineData(2013, "", false)]
    [InlineData(1317, "", true)]
    [InlineData(1040, "", true)]
    [InlineData(1836, "", true)]
    [InlineData(1290, "The MySQL server is running with the --super-read-only option", true)]
    [InlineData(1290, "The MySQL server is running with the --secure-file-priv option", false)]
    [InlineData(1062, "", false)]
    [InlineData(1146, "", false)]
    public void Faults_that_pass_are_told_from_others(int code, string text, bool passes)
    {
        var fault = new ServerException(code, "HY000", text);
        Assert.Equal(passes, ChunkRetry.IsPassing(fault));
        Assert.Equal(passes, ChunkRetry.IsPassing(new ConnectException("refused", fault)));
    }

    [Fact]
    public void A_wrong_certificate_does_not_pass() =>
        Assert.False(ChunkRetry.IsPassing(new ConnectException("TLS", new System.Security.Authentication.AuthenticationException("x"))));

    [Fact]
    public void A_connection_that_is_refused_may_pass() =>
        Assert.True(ChunkRetry.IsPassing(new ConnectException("refused", new System.Net.Sockets.SocketException(111))));

    [Fact]
    public async Task What_comes_before_the_first_chunk_is_tried_again_and_told_what_ended_the_try_before()
    {
        var retry = new ChunkRetry(RetryOptions.Default, new SkippingClock(), NullLogger.Instance);
        var faults = new Queue<BulkLoadException>([new ConnectException("full", new ServerException(1040, "08004", "Too many connections")),
            new PlanException("no ledger", new ServerException(1836, "HY000", "Running in read-only mode"))]);
        var told = new List<Exception?>();
        var made = await retry.MakeReadyAsync(
            fault =>
            {
                told.Add(fault);
                return faults.TryDequeue(out var next) ? Task.FromException<string>(next) : Task.FromResult("ready");
            },
            CancellationToken.None);
        Assert.Equal("ready", made);
        Assert.Equal([null, "full", "no ledger"], told.Select(fault => fault?.Message));
        Assert.Equal(2, retry.Count);
    }

    [Fact]
    public async Task A_server_that_never_answers_is_given_up_when_the_tries_are_used_up()
    {
        var retry = new ChunkRetry(new RetryOptions(2, TimeSpan.FromMinutes(5)), new SkippingClock(), NullLogger.Instance);
        var fault = await Assert.ThrowsAsync<ConnectException>(
            () => retry.MakeReadyAsync<string>(_ => throw new ConnectException("refused", new IOException("x")), CancellationToken.None));
        Assert.Equal("refused; tried again 2 times", fault.Message);
    }

    [Fact]
    public async Task A_server_that_answered_once_is_waited_for_where_nobody_answers()
    {
        var retry = new ChunkRetry(new RetryOptions(5, TimeSpan.FromMinutes(5)), new SkippingClock(), NullLogger.Instance);
        var faults = new Queue<BulkLoadException>([new ServerException(FaultKind.SessionLost, "shut down"),
            new ConnectException("refused", new IOException("x")) { IsNobodyThere = true }]);
        Assert.Equal("made", await retry.MakeReadyAsync(
            _ => faults.TryDequeue(out var fault) ? throw fault : Task.FromResult("made"), CancellationToken.None));
        Assert.Equal(2, retry.Count);
    }

    [Theory]
    [MemberData(nameof(Lasting))]
    public async Task What_another_try_would_not_help_is_told_at_once(BulkLoadException lasting)
    {
        var retry = new ChunkRetry(RetryOptions.Default, new SkippingClock(), NullLogger.Instance);
        Assert.Same(lasting, await Record.ExceptionAsync(() => retry.MakeReadyAsync<string>(_ => throw lasting, CancellationToken.None)));
        Assert.Equal(0, retry.Count);
    }

    public static TheoryData<BulkLoadException> Lasting =>
    [
        new ConnectException("password", new ServerException(1045, "28000", "Access denied")),
        new ConnectException("database", new ServerException(1049, "42000", "Unknown database")),
        new ConnectException("port", new IOException("x")) { IsNobodyThere = true },
        new PlanException("table"),
    ];
}
