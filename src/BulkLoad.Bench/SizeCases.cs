using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Bench;

/// <summary>Inserts in statements of one size, one transaction per run. <paramref name="packet"/> is max_allowed_packet.</summary>
internal sealed class SizeCases(ServerSession session, long rows, TimeSpan roundTrip, long packet)
{
    /// <summary>Bytes of a packet for the command and the frame.</summary>
    private const int PacketOverhead = 1_024;

    private const int MaxStatements = 2_000;
    private const int MinStatements = 20;

    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(1);

    /// <summary>A run waits at most about a second for round trips, so single rows end in time.</summary>
    private long Statements => (long)Math.Clamp(MaxWait / roundTrip, MinStatements, MaxStatements);

    public BenchCase Text(string name, double x, long rowsEach, long bytesEach)
    {
        return Statement(name, x, rowsEach, bytesEach, async (statements, token) =>
        {
            foreach (var statement in statements)
            {
                await session.ExecuteAsync(null, statement, token);
            }
        });
    }

    public BenchCase PipelinedText(string name, double x, long rowsEach, long bytesEach)
    {
        var pipeline = new Pipeline();
        return Statement(name, x, rowsEach, bytesEach, async (statements, token) =>
        {
            pipeline.Clear();
            foreach (var statement in statements)
            {
                pipeline.Add(statement.Span);
            }

            await BatchMethods.RunAsync(session, pipeline, token);
        });
    }

    public BenchCase Prepared(string name, double x, int rowsEach)
    {
        var amount = AmountOf(rowsEach, long.MaxValue);
        return Case(name, x, amount, () => SizedBatches.Parameters(amount, rowsEach), async (batches, token) =>
        {
            var statement = await session.PrepareAsync(BatchSql.Placeholders((int)Math.Min(rowsEach, amount)), token);
            foreach (var batch in batches)
            {
                if (batch.Count == statement.ParameterCount)
                {
                    await session.ExecuteAsync(null, statement, batch, token);
                }
                else
                {
                    var rowsLeft = batch.Count / BatchMethods.Types(BatchOperation.Insert).Length;
                    var last = await session.PrepareAsync(BatchSql.Placeholders(rowsLeft), token);
                    await session.ExecuteAsync(null, last, batch, token);
                    await session.CloseAsync(last, token);
                }
            }

            await session.CloseAsync(statement, token);
        }) with
        {
            Unfit = SizesRequest.CanBePrepared(rowsEach) ? null : "a statement has 65,535 placeholders at most",
        };
    }

    public BenchCase Load(string name, double? x, long rowsEach, long bytesEach)
    {
        var load = new LocalLoad(null, BatchSql.Load(BatchSql.Users, BatchSql.UserColumns), BatchSql.FileName);
        var amount = AmountOf(rowsEach, bytesEach);
        return Case(name, x, amount, () => SizedBatches.Lines(amount, rowsEach, bytesEach), async (files, token) =>
        {
            foreach (var file in files)
            {
                await session.LoadLocalAsync(load, file, null, null, token);
            }
        });
    }

    public BenchCase OnServer(string name, string statement) =>
        Case<string>(name, null, rows, () => [], async (_, token) => await session.ExecuteAsync(statement, token));

    private BenchCase Statement(
        string name,
        double x,
        long rowsEach,
        long bytesEach,
        Func<IReadOnlyList<ReadOnlyMemory<byte>>, CancellationToken, Task> sendAsync)
    {
        var amount = AmountOf(rowsEach, bytesEach);
        var isTooLarge = bytesEach != long.MaxValue && bytesEach + PacketOverhead > packet;
        return Case(name, x, amount, () => SizedBatches.Inserts(amount, rowsEach, bytesEach), sendAsync) with
        {
            Unfit = isTooLarge ? $"max_allowed_packet is {packet}" : null,
        };
    }

    /// <param name="make">makes the batches of a run; not timed</param>
    private BenchCase Case<T>(
        string name, double? x, long amount, Func<IReadOnlyList<T>> make, Func<IReadOnlyList<T>, CancellationToken, Task> sendAsync)
    {
        IReadOnlyList<T> batches = [];
        return new BenchCase
        {
            Name = name,
            X = x,
            Amount = amount,
            PrepareAsync = async token =>
            {
                batches = make();
                await EmptyAsync(token);
            },
            RunAsync = async token =>
            {
                await sendAsync(batches, token);
                await session.ExecuteAsync(TransactionSql.Commit, token);
                batches = [];
            },
            CheckAsync = async token =>
            {
                var count = (await session.QueryAsync(BenchSql.Count(BatchSql.Users), token)).Scalar;
                // A session that has read a table in a transaction keeps others from emptying it.
                await session.ExecuteAsync(TransactionSql.RollBack, token);
                if (count != amount.ToString())
                {
                    throw new ReconciliationException($"{BatchSql.Users} has {count} rows, and should have {amount}");
                }
            },
        };
    }

    private long AmountOf(long rowsEach, long bytesEach)
    {
        var each = Math.Min(rowsEach, Math.Max(1, bytesEach / 100));
        return each > rows / Statements ? rows : each * Statements;
    }

    private async Task EmptyAsync(CancellationToken cancellationToken)
    {
        await session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
        await session.ExecuteAsync(BenchSql.Empty(BatchSql.Users), cancellationToken);
        await session.ExecuteAsync(BenchSql.Autocommit(isOn: false), cancellationToken);
    }
}

internal static class SizedBatches
{
    private static readonly byte[] RowSeparator = [(byte)','];

    /// <summary>At most this number of rows and bytes each; a single row may be larger.</summary>
    public static IReadOnlyList<ReadOnlyMemory<byte>> Inserts(long rows, long rowsEach, long bytesEach) =>
        Cut(
            rows,
            rowsEach,
            bytesEach,
            Encoding.UTF8.GetBytes(BatchSql.Insert),
            RowSeparator,
            user => Encoding.UTF8.GetBytes(BatchSql.Values(user)));

    public static IReadOnlyList<ReadOnlyMemory<byte>> Lines(long rows, long rowsEach, long bytesEach) =>
        Cut(rows, rowsEach, bytesEach, [], [], user => Encoding.UTF8.GetBytes($"{string.Join('\t', user.Cells)}\n"));

    /// <summary>The last batch may have fewer rows.</summary>
    public static IReadOnlyList<BinaryParameters> Parameters(long rows, int rowsEach)
    {
        var batches = new List<BinaryParameters>();
        for (var first = 1L; first <= rows; first += rowsEach)
        {
            var count = (int)Math.Min(rowsEach, rows - first + 1);
            var types = Enumerable.Repeat(BatchMethods.Types(BatchOperation.Insert), count).SelectMany(row => row);
            var parameters = new BinaryParameters([.. types]);
            foreach (var user in BatchUser.Range(first, first + count - 1, 1, isChanged: false))
            {
                BatchMethods.Add(parameters, BatchOperation.Insert, user);
            }

            batches.Add(parameters);
        }

        return batches;
    }

    private static List<ReadOnlyMemory<byte>> Cut(
        long rows, long rowsEach, long bytesEach, byte[] head, byte[] separator, Func<BatchUser, byte[]> encode)
    {
        var batches = new List<ReadOnlyMemory<byte>>();
        var batch = new MemoryStream();
        var count = 0L;
        foreach (var user in BatchUser.Range(1, rows, 1, isChanged: false))
        {
            var row = encode(user);
            if (count == rowsEach || (count > 0 && batch.Length + separator.Length + row.Length > bytesEach))
            {
                batches.Add(batch.ToArray());
                batch.SetLength(0);
                count = 0;
            }

            batch.Write(count == 0 ? head : separator);
            batch.Write(row);
            count++;
        }

        batches.Add(batch.ToArray());
        return batches;
    }
}
