using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies.LoadData;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>The rows of a batch in a temporary table of the session, each with its 0-based place in the batch. They come by LOAD DATA LOCAL
/// if that works, else by INSERTs. The table's content is no part of the transaction.</summary>
internal sealed class Stage
{
    /// <summary>Name for <c>--strategy</c> of the strategies that need it.</summary>
    public const string Strategy = "staged-join";

    private const long BytesPerInsert = 256 * 1024;
    private const int BestRows = 100_000;

    /// <summary>A MEMORY table takes two MiB for a hundred thousand integers; larger batches gain nothing.</summary>
    private const int MaxRows = 1_000_000;

    /// <summary>Keeps an INSERT's packet far below the server's limit, unless a single row is larger.</summary>
    private const int ShareOfPacket = 4;

    private readonly IServerSession _session;
    private readonly LocalLoad? _load;
    private readonly long _bytesPerInsert;
    private bool _isCreated;

    public Stage(IServerSession session, LoadFacts facts, BatchSizes sizes)
    {
        (_session, Sql) = (session, SqlOf(facts, sizes));
        _bytesPerInsert = Math.Min(BytesPerInsert, facts.Server.MaxAllowedPacket / ShareOfPacket);
        if (facts.Server.LocalInfileRefusal is null)
        {
            var name = LoadDataText.NewFileName();
            _load = new LocalLoad(Sql.Clear, JobTag.Into(LoadOf(Sql, name), facts.Tag), name);
        }
    }

    public StagedKeySql Sql { get; }

    public static (SizeRange Rows, SizeRange Bytes) SizeBatches { get; } =
        (new SizeRange("rows-per-batch", BestRows, "sorted and joined together: neighbours lie on the same pages", MaxRows, "the program"),
            KeySizes.Bytes);

    /// <summary>Rows of a batch, as far as the plan knows.</summary>
    public static int RowsPerBatch(LoadFacts facts) => (int)SizeBatches.Rows.Choose(facts.Request.RowsPerBatch).Value;

    /// <summary>Whether rows would be staged if the server allowed it: only then is the server asked.</summary>
    public static bool MayPay(LoadFacts facts)
    {
        var (staged, list) = facts.Request.Kind == JobKind.Delete
            ? ((ILoadStrategy)new StagedDeleteStrategy(), (ILoadStrategy)new InListDeleteStrategy())
            : (new StagedUpdateStrategy(), new InlineJoinStrategy());
        return staged.FindObstacle(facts) is null && SecondsOf(staged.Assess(facts)) < SecondsOf(list.Assess(facts));

        double SecondsOf(Assessment assessed)
        {
            var ((rows, bytes), request) = (assessed.Sizes, facts.Request);
            var sizes = new BatchSizes((int)rows.Choose(request.RowsPerBatch).Value, bytes.Choose(request.BytesPerBatch).Value);
            return assessed.Cost.Seconds(facts, sizes);
        }
    }

    /// <returns>why rows cannot be staged, for people; null: they can</returns>
    public static string? FindObstacle(LoadFacts facts) => facts.Server.LogsStatements
        ? "the server's binary log by statement would bring the staged keys to its replicas"
        : facts.Key!.Stage?.Refusal;

    public static string Describe(LoadFacts facts) =>
        $"a temporary table{(IsInMemory(facts, RowsPerBatch(facts)) ? " in memory" : "")} that "
            + $"{(facts.Server.LocalInfileRefusal is null ? "LOAD DATA" : "INSERT")} fills";

    /// <summary>Round trips per batch.</summary>
    public static int RoundTrips(LoadFacts facts) => facts.Server.LocalInfileRefusal is null ? 2 : 1;

    public static IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes, KeyedStatement statement)
    {
        var sql = SqlOf(facts, sizes);
        var fill = facts.Server.LocalInfileRefusal is null ? LoadOf(sql, "bulkload-<random>") : $"{sql.InsertHead}(...), ...";
        return [sql.Create, fill, TransactionSql.Savepoint(0), statement.Join(sql)];
    }

    public StagedBatch CreateBatch(KeyOrder keys, IReadOnlyList<TableColumn> columns) =>
        new(keys, Sql, _load is null ? null : new LoadDataText(columns), _bytesPerInsert);

    /// <summary>Fills the table; what was in it is removed.</summary>
    /// <returns>why the rows are not there as sent; null: they are</returns>
    /// <exception cref="ServerException">a fault that is not about the rows</exception>
    public async ValueTask<BatchRefusal?> FillAsync(StagedBatch rows, Action onSent, CancellationToken cancellationToken)
    {
        var watch = _session.Transaction ?? new TransactionWatch();
        watch.IsAside = true;
        try
        {
            return await FillAsideAsync(rows, onSent, cancellationToken);
        }
        finally
        {
            watch.IsAside = false;
        }
    }

    private async ValueTask<BatchRefusal?> FillAsideAsync(StagedBatch rows, Action onSent, CancellationToken cancellationToken)
    {
        if (!_isCreated)
        {
            // If a chunk is tried again, the session may still have the table of an earlier sender.
            await _session.ExecuteAsync(Sql.Drop, Encoding.UTF8.GetBytes(Sql.Create), cancellationToken);
            _isCreated = true;
        }

        if (_load is { } load)
        {
            var answer = await _session.LoadLocalAsync(load, rows.Text!.Content, null, onSent, cancellationToken);
            return answer.Warnings == 0 && answer.AffectedRows == (ulong)rows.KeyCount
                ? null
                : BatchRefusals.OfAnswer(
                    answer.AffectedRows, rows.KeyCount, await _session.QueryAsync(TransactionSql.FirstWarnings, cancellationToken));
        }

        await PipelineFaults.RunAsync(_session, rows.Inserts, onSent, cancellationToken);
        if (rows.Inserts.Faults.Count > 0)
        {
            return BatchRefusals.OfError(rows.Inserts.Faults[0].Error);
        }

        var (taken, warnings) = (0UL, 0);
        foreach (var answer in rows.Inserts.Answers[1..])
        {
            taken += answer.AffectedRows;
            warnings += answer.Warnings;
        }

        return warnings == 0 && taken == (ulong)rows.KeyCount
            ? null
            : BatchRefusals.OfCounts(new OkResult(taken, 0, (ushort)Math.Min(warnings, ushort.MaxValue), "", 0), rows.KeyCount);
    }

    private static bool IsInMemory(LoadFacts facts, int rows) => facts.Key!.Stage!.FitsMemory(facts.RowColumns, rows);

    private static StagedKeySql SqlOf(LoadFacts facts, BatchSizes sizes) => new(
        facts.Table, facts.RowColumns, IsInMemory(facts, sizes.RowsPerBatch), facts.KeyCount, isIndexed: facts.Key!.Index is null,
        facts.Tag);

    private static string LoadOf(StagedKeySql sql, string name)
    {
        var (table, columns) = sql.AsTarget;
        return LoadDataSql.Local(name, table, columns, []);
    }
}

/// <summary>Rows of a block for a <see cref="Stage"/>, in order. A row's number is its place there.</summary>
/// <param name="text">takes the rows for LOAD DATA; null: they go by INSERTs</param>
/// <param name="bytesPerInsert">size after which an INSERT is complete</param>
internal sealed class StagedBatch(KeyOrder keys, StagedKeySql sql, LoadDataText? text, long bytesPerInsert) : KeyedBatch(keys)
{
    private readonly ArrayBufferWriter<byte> _insert = new();

    /// <summary>For LOAD DATA; null: the rows go by INSERTs.</summary>
    public LoadDataText? Text => text;

    /// <summary>Empties the table, and inserts the rows.</summary>
    public Pipeline Inserts { get; } = new();

    protected override void Encode()
    {
        if (text is not null)
        {
            text.Fill(Keys);
            return;
        }

        Inserts.Clear();
        Inserts.Add(Encoding.UTF8.GetBytes(sql.Clear));
        for (var from = 0; from < Keys.Count;)
        {
            _insert.ResetWrittenCount();
            from += sql.WriteInsert(_insert, Keys.Block, Keys.RowOfBlock, static place => place, from, Keys.Count, bytesPerInsert);
            Inserts.Add(_insert.WrittenSpan);
        }
    }
}
