using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>What an update and a delete differ in for the senders: text, order of the keys, how an answer counts.</summary>
internal abstract class KeyedStatement(LoadFacts facts)
{
    protected LoadFacts Facts { get; } = facts;

    protected bool IsUnique { get; } = facts.Key!.IsUnique;

    /// <summary>The text of the keys in lists and questions.</summary>
    public abstract KeySql Keys { get; }

    /// <summary>Whether of two keys of a list that have the same row the first one counts; else such a list is refused.</summary>
    public abstract bool FirstOfSameRowCounts { get; }

    /// <summary>Lists that are sent ahead of the answers at most.</summary>
    public abstract int ListsUnderWay { get; }

    /// <summary>Most bytes that a list has around a row's own.</summary>
    public abstract int RowOverhead { get; }

    /// <summary>Bytes that a list has around its rows.</summary>
    public abstract int ListOverhead { get; }

    /// <summary>The statement of one record, with a placeholder for each of <see cref="CreateEncoder"/>'s values.</summary>
    public abstract string Prepared { get; }

    public abstract RowEncoder CreateEncoder();

    /// <param name="areAlone">whether each key has a statement of its own</param>
    public abstract KeyOrder CreateOrder(bool areAlone);

    /// <param name="rowOf">0-based place in the block of each</param>
    public abstract void WriteList(IBufferWriter<byte> output, RowBlock block, int count, Func<int, int> rowOf);

    /// <summary>The statement that changes the rows whose keys are staged.</summary>
    public abstract string Join(StagedKeySql stage);

    /// <summary>The question which staged keys have rows; null: those that <see cref="Join"/> leaves in the stage have none.</summary>
    public virtual string? Look(StagedKeySql stage) => null;

    /// <summary>Writes a record's statement as text, where the prepared one does not serve for it.</summary>
    public virtual bool TryWriteRow(IBufferWriter<byte> output, RowBlock block, int row) => false;

    /// <summary>Whether the server refused a list as such, and takes its keys one by one.</summary>
    public virtual bool IsAboutList(ServerException fault) => false;

    /// <summary>What became of the records of one statement; those that it does not count have no row.</summary>
    /// <returns>null: it cannot be the answer, or has a warning</returns>
    public abstract RowCounts? Count(OkResult answer, int records);
}

internal sealed class DeleteStatement(LoadFacts facts) : KeyedStatement(facts)
{
    public override KeySql Keys { get; } = KeySql.Of(facts);

    public override bool FirstOfSameRowCounts => true;

    /// <summary>A list keeps the server busy for milliseconds: these last for the time that an answer takes on a slow route.</summary>
    public override int ListsUnderWay => 16;

    public override int RowOverhead => Keys.KeyOverhead;

    public override int ListOverhead => 0;

    public override string Prepared => Keys.PreparedDelete();

    public override RowEncoder CreateEncoder() => new(Facts.Columns);

    /// <summary>Keys that the server may take for one stay as they came where each is alone, since the first one has the row.</summary>
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

    /// <summary>MariaDB will not look a list up in the index as it was told to: its keys go one by one then.</summary>
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

    /// <summary>Records whose key comes again were superseded before.</summary>
    public override KeyOrder CreateOrder(bool areAlone) => new(Facts, UpdateRules.CanSort(Facts), dropsRepeated: false);

    public override void WriteList(IBufferWriter<byte> output, RowBlock block, int count, Func<int, int> rowOf) =>
        _sql.WriteList(output, block, count, rowOf);

    public override string Join(StagedKeySql stage) => stage.Update(Facts.Key!.Index!, Facts.Assignments, Facts.Request.Key.Where);

    public override string Look(StagedKeySql stage) => stage.Found(Facts.Key!.Index!, Facts.Request.Key.Where);

    /// <summary>Of a record that lacks a column or leaves it to its default, and of all where the server prepares nothing.</summary>
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

    /// <summary>Rows found and rows changed, which the text of an UPDATE's answer has before the warnings (MySQL manual, "mysql_info()");
    /// null where it does not say so. An answer without text says that no partition of the table can have the row.</summary>
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
