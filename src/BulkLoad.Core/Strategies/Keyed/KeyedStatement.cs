using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>What differs between update and delete for the senders: text, order of the keys, meaning of an answer.</summary>
internal abstract class KeyedStatement(LoadFacts facts)
{
    protected LoadFacts Facts { get; } = facts;

    protected bool IsUnique { get; } = facts.Key!.IsUnique;

    /// <summary>For lists and questions.</summary>
    public abstract KeySql Keys { get; }

    /// <summary>Whether the first of two keys with the same row counts; else a list with such keys is refused.</summary>
    public abstract bool FirstOfSameRowCounts { get; }

    /// <summary>Limit of lists that are sent before the first answer is read.</summary>
    public abstract int ListsUnderWay { get; }

    /// <summary>Upper limit of the bytes that a list needs per row, without the row's own.</summary>
    public abstract int RowOverhead { get; }

    /// <summary>Bytes around all rows of a list.</summary>
    public abstract int ListOverhead { get; }

    /// <summary>For one record; it has a placeholder for each value of <see cref="CreateEncoder"/>.</summary>
    public abstract string Prepared { get; }

    public abstract RowEncoder CreateEncoder();

    /// <param name="areAlone">whether each key has a statement of its own</param>
    public abstract KeyOrder CreateOrder(bool areAlone);

    /// <param name="rowOf">0-based place of each key in the block</param>
    public abstract void WriteList(IBufferWriter<byte> output, RowBlock block, int count, Func<int, int> rowOf);

    /// <summary>The statement that changes the rows whose keys are staged.</summary>
    public abstract string Join(StagedKeySql stage);

    /// <summary>The question which staged keys have rows; null: after <see cref="Join"/> the stage has only the keys without
    /// rows.</summary>
    public virtual string? Look(StagedKeySql stage) => null;

    /// <summary>Writes a record's statement as text if the prepared one cannot carry it; false: it can.</summary>
    public virtual bool TryWriteRow(IBufferWriter<byte> output, RowBlock block, int row) => false;

    /// <summary>Whether the server refused the list as a form, and takes its keys one by one.</summary>
    public virtual bool IsAboutList(ServerException fault) => false;

    /// <summary>Counts the records of one statement; those that are not counted have no row.</summary>
    /// <returns>null: the answer is impossible, or has a warning</returns>
    public abstract RowCounts? Count(OkResult answer, int records);
}

internal sealed class DeleteStatement(LoadFacts facts) : KeyedStatement(facts)
{
    public override KeySql Keys { get; } = KeySql.Of(facts);

    public override bool FirstOfSameRowCounts => true;

    /// <summary>A list keeps the server busy for milliseconds: so many are enough for the time of an answer on a slow network.</summary>
    public override int ListsUnderWay => 16;

    public override int RowOverhead => Keys.KeyOverhead;

    public override int ListOverhead => 0;

    public override string Prepared => Keys.PreparedDelete();

    public override RowEncoder CreateEncoder() => new(Facts.Columns);

    /// <summary>If keys are alone, those that the server may take for the same keep their order: the first one gets the row.</summary>
    public override KeyOrder CreateOrder(bool areAlone) => new(
        Facts, isSorted: !KeyRules.IsOneByOne(Facts) && !(areAlone && !ComparedKey.OfFound(Facts).IsExact), dropsRepeated: true);

    public override void WriteList(IBufferWriter<byte> output, RowBlock block, int count, Func<int, int> rowOf)
    {
        Keys.WriteDelete(count, Value, output);

        ReadOnlySpan<byte> Value(int key, int column)
        {
            block.Get(rowOf(key), column, out var value);
            return value;
        }
    }

    public override string Join(StagedKeySql stage) => stage.Delete(Facts.Key!.Index, Facts.Request.Key.Where);

    /// <summary>MariaDB may refuse to look a list up in the index as told; then its keys go one by one.</summary>
    public override bool IsAboutList(ServerException fault) => fault.Error == ServerError.UpdateWithoutKeyInSafeMode;

    public override RowCounts? Count(OkResult answer, int records)
    {
        var rows = (long)answer.AffectedRows;
        return answer.Warnings > 0 || (IsUnique && rows > records) ? null
            : new RowCounts { Deleted = Math.Min(rows, records), DeletedRows = rows };
    }
}

internal sealed class UpdateStatement(LoadFacts facts) : KeyedStatement(facts)
{
    private readonly UpdateSql _sql = new(facts);
    private readonly int[] _places = UpdateSql.OrderOfRow(facts);
    private readonly bool _canPrepare = facts.Server.MaxPreparedStatements > 0;
    private readonly bool _canLackValues = facts.RecordsCanLackColumns || facts.DefaultedColumn is not null;
    private readonly bool _tellsChanges = !facts.Request.Key.CountsMatched;

    public override KeySql Keys => _sql.Keys;

    public override bool FirstOfSameRowCounts => false;

    /// <summary>More than a batch has.</summary>
    public override int ListsUnderWay => 1000;

    public override int RowOverhead => _sql.RowOverhead;

    public override int ListOverhead => _sql.ListOverhead;

    public override string Prepared => _sql.PreparedRow();

    public override RowEncoder CreateEncoder() => new(Facts.RowColumns, _places);

    /// <summary>Records whose key comes again were left out before.</summary>
    public override KeyOrder CreateOrder(bool areAlone) => new(Facts, UpdateRules.CanSort(Facts), dropsRepeated: false);

    public override void WriteList(IBufferWriter<byte> output, RowBlock block, int count, Func<int, int> rowOf) =>
        _sql.WriteList(output, block, count, rowOf);

    public override string Join(StagedKeySql stage) => stage.Update(Facts.Key!.Index!, Facts.Assignments, Facts.Request.Key.Where);

    public override string Look(StagedKeySql stage) => stage.Found(Facts.Key!.Index!, Facts.Request.Key.Where);

    /// <summary>For a record that lacks a column or leaves it to its default, and for all records if the server prepares nothing.</summary>
    public override bool TryWriteRow(IBufferWriter<byte> output, RowBlock block, int row)
    {
        if (_canPrepare && (!_canLackValues || IsWhole(block, row)))
        {
            return false;
        }

        _sql.WriteRow(output, block, row);
        return true;
    }

    public override RowCounts? Count(OkResult answer, int records)
    {
        if (answer.Warnings > 0 || ReadAnswer(answer) is not (var matched, var changed) || (IsUnique && matched > records))
        {
            return null;
        }

        var found = Math.Min(matched, records);
        var updated = _tellsChanges ? Math.Min(changed, found) : found;
        return new RowCounts(0, updated, found - updated) { MatchedRows = matched, ChangedRows = _tellsChanges ? changed : 0 };
    }

    /// <summary>Reads the rows found and changed from the text of an UPDATE's answer (MySQL manual, "mysql_info()"); null: the text is
    /// another one. An answer without text says that no partition of the table can have the row.</summary>
    public static (long Matched, long Changed)? ReadAnswer(OkResult answer)
    {
        if (answer is { Info: "", AffectedRows: 0, Warnings: 0 })
        {
            return (0, 0);
        }

        Span<long> numbers = stackalloc long[4];
        return answer.ReadNumbers(numbers) == 3 && numbers[1] <= numbers[0] ? (numbers[0], numbers[1]) : null;
    }

    private bool IsWhole(RowBlock block, int row)
    {
        foreach (var column in _places)
        {
            if (block.Get(row, column, out _) is not (CellState.Value or CellState.Null))
            {
                return false;
            }
        }

        return true;
    }
}
