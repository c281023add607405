using System.Diagnostics;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Bench;

internal sealed record CallsRequest : BenchRequest
{
    /// <summary>A result of all rows is in memory, as text.</summary>
    private const long MaxRows = 100_000;

    /// <summary>Of the shortest calls in one run; longer ones are called less often.</summary>
    public int Calls { get; init; } = 2_000;

    public override string Bench => "calls";

    public override void Validate()
    {
        base.Validate();
        RequestException.ThrowIf(
            Rows is < CallsBench.RowsOfMany or > MaxRows,
            $"--rows: calls are measured on a table of {CallsBench.RowsOfMany} to {MaxRows} rows");
    }

    internal override long EstimatedBytes => (Rows * UsersTable.EstimatedBytesPerRow) + (4 << 20);

    internal override IEnumerable<KeyValuePair<string, string>> Settings =>
        [Setting("rows", Rows), Setting("repeat", Repeats), Setting("calls", Calls)];

    internal override IBench Create() => new CallsBench(this);
}

/// <summary>Measures simple and prepared statements, and results of all sizes, in one session.</summary>
internal sealed class CallsBench(CallsRequest request) : IBench
{
    public const int RowsOfMany = 1_000;

    private const int SmallBlob = 64 << 10;
    private const int LargeBlob = 1 << 20;

    private readonly BinaryParameters _range = new([ParameterType.Int64, ParameterType.Int64]);
    private readonly BinaryParameters _blob = new([ParameterType.Int64]);
    private readonly BinaryParameters _change = new(BatchMethods.Types(BatchOperation.Update));
    private readonly Pipeline _pipeline = new();

    public async Task RunAsync(BenchPlace place, BenchRunner runner, CancellationToken cancellationToken)
    {
        runner.Report("filling tables");
        await place.CreateAsync(BatchSql.Users, BatchSql.Definition, cancellationToken);
        await place.CreateAsync(CallSql.Blobs, CallSql.BlobDefinition, cancellationToken);
        var session = await place.ConnectAsync(cancellationToken);
        await new UsersTable(session).FillAsync(request.Rows, cancellationToken);
        await session.ExecuteAsync(CallSql.AddBlob(1, SmallBlob), cancellationToken);
        await session.ExecuteAsync(CallSql.AddBlob(2, LargeBlob), cancellationToken);
        await session.ExecuteAsync(BenchSql.Autocommit(isOn: false), cancellationToken);

        runner.Begin(new BenchSection { Name = "calls", Title = "what one call costs", Unit = "calls" });
        await runner.MeasureAsync("", await CasesAsync(session, place, cancellationToken), cancellationToken);
        await session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
    }

    private async Task<IReadOnlyList<BenchCase>> CasesAsync(ServerSession session, BenchPlace place, CancellationToken cancellationToken)
    {
        var select = await session.PrepareAsync(CallSql.SelectRange, cancellationToken);
        var blob = await session.PrepareAsync(CallSql.SelectBlob, cancellationToken);
        var update = await session.PrepareAsync(BatchSql.Placeholders(BatchOperation.Update), cancellationToken);
        var scalar = await session.PrepareAsync(CallSql.Scalar, cancellationToken);
        var many = RowsOfMany.ToString("N0");
        var all = request.Rows.ToString("N0");
        return
        [
            Case("simple scalar", 1, async (_, token) => Require((await session.QueryAsync(CallSql.Scalar, token)).Scalar == "1")),
            Case("prepared scalar", 1, async (_, token) => Require((await session.ReadAsync(scalar, Empty, token)).Rows == 1)),
            Case("simple query of 1 row", 1, (call, token) => QueryAsync(session, IdOf(call), 1, token)),
            Case("prepared query of 1 row", 1, (call, token) => ReadAsync(session, select, IdOf(call), 1, token)),
            Case($"simple query of {many} rows", 40, (call, token) => QueryAsync(session, FirstOf(call), RowsOfMany, token)),
            Case($"prepared query of {many} rows", 40, (call, token) => ReadAsync(session, select, FirstOf(call), RowsOfMany, token)),
            .. request.Rows == RowsOfMany ? Array.Empty<BenchCase>() :
            [
                Case($"simple query of {all} rows", request.Calls, (_, token) => QueryAsync(session, 1, request.Rows, token)),
                Case($"prepared query of {all} rows", request.Calls, (_, token) => ReadAsync(session, select, 1, request.Rows, token)),
            ],
            Case("prepared query of a blob of 64 KiB", 10, (_, token) => ReadBlobAsync(session, blob, 1, SmallBlob, token)),
            Case("prepared query of a blob of 1 MiB", 40, (_, token) => ReadBlobAsync(session, blob, 2, LargeBlob, token)),
            Case("simple execution", 1, async (call, token) => Require((await session.ExecuteAsync(
                BatchSql.Literal(BatchOperation.Update, new BatchUser(IdOf(call), IsOdd(call))), token)).Warnings == 0)),
            Case("prepared execution", 1, async (call, token) => Require((await session.ExecuteAsync(
                null, update, Change(call), token)).Warnings == 0)),
            Pipelined(session, update),
            Case("opening a session", 20, async (_, token) =>
                await (await BenchPlace.OpenSessionAsync(place.Connection, token)).DisposeAsync()),
        ];
    }

    private static BinaryParameters Empty { get; } = new([]);

    private BenchCase Case(string name, int share, Func<int, CancellationToken, ValueTask> callAsync)
    {
        var calls = Math.Max(1, request.Calls / share);
        var meter = new CallMeter(calls, callAsync);
        return new BenchCase { Name = name, Amount = calls, RunAsync = meter.RunAsync, Values = () => meter.Values };
    }

    /// <summary>Single calls cannot be timed here.</summary>
    private BenchCase Pipelined(ServerSession session, PreparedStatement update)
    {
        var allocated = 0L;
        return new BenchCase
        {
            Name = "prepared execution, pipelined",
            Amount = request.Calls,
            RunAsync = async token =>
            {
                var before = GC.GetTotalAllocatedBytes(precise: true);
                _pipeline.Clear();
                for (var call = 0; call < request.Calls; call++)
                {
                    _pipeline.Add(update, Change(call));
                }

                await BatchMethods.RunAsync(session, _pipeline, token);
                allocated = GC.GetTotalAllocatedBytes(precise: true) - before;
            },
            Values = () => [new("allocatedBytesPerCall", (double)allocated / request.Calls)],
        };
    }

    private static async ValueTask QueryAsync(ServerSession session, long first, long rows, CancellationToken cancellationToken) =>
        Require((await session.QueryAsync(CallSql.Range(first, first + rows - 1), cancellationToken)).Rows.Count == rows);

    private async ValueTask ReadAsync(
        ServerSession session, PreparedStatement select, long first, long rows, CancellationToken cancellationToken)
    {
        _range.Reset();
        _range.AddInt64(first);
        _range.AddInt64(first + rows - 1);
        Require((await session.ReadAsync(select, _range, cancellationToken)).Rows == rows);
    }

    private async ValueTask ReadBlobAsync(
        ServerSession session, PreparedStatement select, long id, long bytes, CancellationToken cancellationToken)
    {
        _blob.Reset();
        _blob.AddInt64(id);
        Require((await session.ReadAsync(select, _blob, cancellationToken)).Bytes == bytes);
    }

    /// <summary>The text is constant, since allocations for it would be counted.</summary>
    private BinaryParameters Change(int call)
    {
        _change.Reset();
        _change.AddBytes(IsOdd(call) ? "changed O'Neill"u8 : "user O'Neill"u8);
        _change.AddDouble(call + 0.5);
        _change.AddInt64(IdOf(call));
        return _change;
    }

    /// <summary>Rows are spread over the table; they are the same in each run.</summary>
    private long IdOf(int call) => 1 + (call * 7919L % request.Rows);

    private long FirstOf(int call) => 1 + (call * 7919L % (request.Rows - RowsOfMany + 1));

    private static bool IsOdd(int call) => (call & 1) == 1;

    private static void Require(bool isAsItShould)
    {
        if (!isAsItShould)
        {
            throw new ReconciliationException("a call was answered by something else than what it asked for");
        }
    }
}

/// <summary>Measures the time and allocations of many calls, numbered from 0.</summary>
internal sealed class CallMeter(int calls, Func<int, CancellationToken, ValueTask> callAsync)
{
    private readonly double[] _milliseconds = new double[calls];
    private long _allocated;

    public KeyValuePair<string, double>[] Values
    {
        get
        {
            Array.Sort(_milliseconds);
            return
            [
                new("latencyMedianMs", BenchSpread.At(_milliseconds, 0.5)),
                new("latency95Ms", BenchSpread.At(_milliseconds, 0.95)),
                new("latencyMaxMs", _milliseconds[^1]),
                new("allocatedBytesPerCall", (double)_allocated / calls),
            ];
        }
    }

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        // A call may end on another thread than it began on, so only the allocations of the whole process are complete.
        var before = GC.GetTotalAllocatedBytes(precise: true);
        for (var i = 0; i < calls; i++)
        {
            var start = Stopwatch.GetTimestamp();
            await callAsync(i, cancellationToken);
            _milliseconds[i] = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
        }

        _allocated = GC.GetTotalAllocatedBytes(precise: true) - before;
    }
}

internal static class CallSql
{
    public const string Blobs = BenchSql.Prefix + "blobs";

    public const string BlobDefinition = "id BIGINT NOT NULL PRIMARY KEY, content LONGBLOB NOT NULL";

    public const string Scalar = "SELECT 1";

    public const string SelectRange = $"SELECT {BatchSql.UserColumns} FROM {BatchSql.Users} WHERE id BETWEEN ? AND ?";

    public const string SelectOne = $"SELECT {BatchSql.UserColumns} FROM {BatchSql.Users} WHERE id=?";

    public static string SelectList(IEnumerable<long> ids) =>
        $"SELECT {BatchSql.UserColumns} FROM {BatchSql.Users} WHERE id IN ({string.Join(',', ids.Select(id => id.ToString()))})";

    public const string SelectBlob = $"SELECT content FROM {Blobs} WHERE id=?";

    public static string Range(long first, long last) =>
        $"SELECT {BatchSql.UserColumns} FROM {BatchSql.Users} WHERE id BETWEEN {first} AND {last}";

    public static string AddBlob(int id, int bytes) => $"INSERT INTO {Blobs} VALUES ({id}, REPEAT('b', {bytes}))";
}
