using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>
/// One UPDATE a record, sent ahead of the answers: what becomes of each record is known at once, an error is that of its record alone, the
/// order of the records can be kept, and each can change other columns.
/// </summary>
internal sealed class PipelinedUpdateStrategy : ILoadStrategy
{
    /// <summary>What <c>--strategy</c> calls it, for an update and for a delete.</summary>
    public const string Word = "pipelined";

    public string Name => Word;

    public string? FindObstacle(LoadFacts facts) => null;

    public string Describe(LoadFacts facts) => UpdateRules.CanSort(facts)
        ? "one UPDATE a record, sent ahead of the answers: exact for each of them, and three times the server's work of a set"
        : "one UPDATE a record in the file's order, sent ahead of the answers";

    /// <summary>Measured with three values a row (docs/strategies.md).</summary>
    public Cost CostOf(LoadFacts facts) => new(KeyCosts.OfRowUpdate(facts), 1, 2);

    public (SizeRange Rows, SizeRange Bytes) SizeBatches(LoadFacts facts) => KeySizes.OfRows;

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
        [TransactionSql.Savepoint(0),
            $"{new UpdateSql(facts).PreparedRow()} (for each "
                + $"record{(facts.RecordsCanLackColumns ? ", with the columns that it has" : "")})"];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new PipelinedUpdateSender(session, facts, sizes.RowsPerBatch);
}

/// <summary>An UPDATE for each row.</summary>
internal sealed class PipelinedUpdateSender : PipelinedSender
{
    private readonly bool _isUnique;
    private readonly bool _countsMatched;

    /// <param name="facts">with a key</param>
    public PipelinedUpdateSender(IServerSession session, LoadFacts facts, int rowsPerBatch)
        : this(session, facts, rowsPerBatch, new UpdateSql(facts))
    {
    }

    private PipelinedUpdateSender(IServerSession session, LoadFacts facts, int rowsPerBatch, UpdateSql sql)
        : this(session, facts, rowsPerBatch, sql, new LazyStatement(session, sql.PreparedRow()), new RowEncoder(facts.RowColumns))
    {
    }

    private PipelinedUpdateSender(
        IServerSession session, LoadFacts facts, int rowsPerBatch, UpdateSql sql, LazyStatement statement, RowEncoder encoder)
        : base(session, facts, rowsPerBatch, statement,
            () => new PipelinedUpdates(KeyOrder.OfChanges(facts), statement, sql, encoder, UpdateSql.OrderOfRow(facts), LimitsOf(facts))) =>
        (_isUnique, _countsMatched) = (facts.Key!.IsUnique, facts.Request.Key.CountsMatched);

    protected override bool TrySettle(int row, OkResult answer, RowOutcomes outcomes)
    {
        if (UpdateAnswer.Read(answer) is not (var matched, var changed) || (_isUnique && matched > 1))
        {
            return false;
        }

        if (matched == 0)
        {
            outcomes.Miss(row);
            return true;
        }

        var isChanged = _countsMatched || changed > 0;
        outcomes.Take(
            new RowCounts(0, isChanged ? 1 : 0, isChanged ? 0 : 1) { MatchedRows = matched, ChangedRows = _countsMatched ? 0 : changed });
        return true;
    }

    private static PipelineLimits LimitsOf(LoadFacts facts) =>
        new(facts.Server.MaxPreparedStatements > 0, facts.RecordsCanLackColumns
            || facts.DefaultedColumn is not null, facts.Server.MaxAllowedPacket);
}

/// <summary>
/// Rows of a block as an UPDATE each in a pipeline: those that have a value for every column as executions of a prepared statement, others
/// as text.
/// </summary>
/// <param name="columns">the places of a row's values in the order of the prepared statement</param>
internal sealed class PipelinedUpdates(
    KeyOrder keys, LazyStatement statement, UpdateSql sql, RowEncoder encoder, int[] columns, PipelineLimits limits)
    : PipelinedBatch(keys, statement)
{
    private readonly BinaryParameters _parameters = new(encoder.TypesOf(columns));
    private readonly ArrayBufferWriter<byte> _text = new();

    protected override bool NeedsStatement => limits.CanPrepare && Keys.Count > 0;

    protected override long? Add(int key, PreparedStatement? statement)
    {
        var row = Keys.RowOfBlock(key);
        if (statement is null || !IsWhole(row))
        {
            _text.ResetWrittenCount();
            sql.WriteRow(_text, Keys.Block, row);
            var bytes = _text.WrittenCount + 1L;
            if (bytes >= limits.MaxPacket)
            {
                return bytes;
            }

            Pipeline.Add(_text.WrittenSpan);
            return null;
        }

        _parameters.Reset();
        encoder.Add(Keys.Block, row, columns, _parameters);
        if (_parameters.PacketBytes >= limits.MaxPacket)
        {
            return _parameters.PacketBytes;
        }

        Pipeline.Add(statement, _parameters);
        return null;
    }

    /// <summary>Whether the row has a value or NULL for every column.</summary>
    private bool IsWhole(int row)
    {
        if (!limits.RowsCanLackValues)
        {
            return true;
        }

        foreach (var column in columns)
        {
            if (Keys.Block.Get(row, column, out _) is not (CellState.Value or CellState.Null))
            {
                return false;
            }
        }

        return true;
    }
}

/// <summary>What bounds a pipeline's commands.</summary>
/// <param name="CanPrepare">whether the server keeps prepared statements</param>
/// <param name="RowsCanLackValues">whether a row can leave a column alone, or to its default</param>
/// <param name="MaxPacket">bytes that the server takes in one packet</param>
internal sealed record PipelineLimits(bool CanPrepare, bool RowsCanLackValues, long MaxPacket);
