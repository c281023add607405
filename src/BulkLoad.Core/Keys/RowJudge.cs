using System.Numerics;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values;

namespace BulkLoad.Core.Keys;

/// <summary>Finds what only the server can tell of rows that reader and rules have accepted, and whose keys no earlier record has. Asked
/// for each row in the input's order.</summary>
internal sealed class RowJudge
{
    private readonly LoadFacts _facts;
    private readonly KeyInUse[] _keys;
    private readonly int[][] _foreignKeys;
    private readonly int[] _timesWithoutZone;

    public RowJudge(LoadFacts facts, IReadOnlyList<ComparedKey> keys)
    {
        _facts = facts;
        _keys = [.. keys.Select(key => new KeyInUse(key))];
        _foreignKeys = [.. Constraints.ForeignKeys.Where(key => IsUsed(key, _facts))
            .Select(key => key.Columns.Select(column => facts.IndexOf(facts.Table.Find(column))).Where(index => index >= 0).ToArray())];
        _timesWithoutZone = facts.Server.Zone.Zone is not null
            ? []
            : [.. Enumerable.Range(0, facts.Columns.Count).Where(index => facts.Columns[index].Kind == ColumnKind.Timestamp)];
        OfEveryRow = FindReasonsOfEveryRow();
    }

    /// <summary>Reasons that hold for each row of the table.</summary>
    public UndecidedReasons OfEveryRow { get; }

    private TableConstraints Constraints => _facts.Constraints!;

    /// <returns>why only the server can tell; none: the server takes the row</returns>
    public UndecidedReasons Judge(RowBlock block, int row)
    {
        var reasons = OfEveryRow;
        foreach (var key in _keys)
        {
            reasons |= JudgeKey(key, block, row);
        }

        foreach (var columns in _foreignKeys)
        {
            // A foreign key with NULL in one of its columns refers to nothing (MySQL manual, "FOREIGN KEY Constraints": MATCH SIMPLE).
            reasons |= HasNull(block, row, columns) ? 0 : UndecidedReasons.ForeignKey;
        }

        foreach (var column in _timesWithoutZone)
        {
            reasons |= block.Get(row, column, out _) == CellState.Value ? UndecidedReasons.TimeZone : 0;
        }

        return reasons | (block.HasDefaults ? JudgeDefaults(block, row) : 0);
    }

    private static bool HasNull(RowBlock block, int row, int[] columns)
    {
        foreach (var column in columns)
        {
            if (block.Get(row, column, out _) == CellState.Null)
            {
                return true;
            }
        }

        return false;
    }

    private UndecidedReasons JudgeKey(KeyInUse key, RowBlock block, int row)
    {
        var state = key.Key.StateOf(block, row, out var isConclusive);
        if (state == KeyState.Free)
        {
            return 0;
        }

        var canConflict = state != KeyState.NextId;
        var isComparable = state == KeyState.Known && isConclusive;
        var reasons = canConflict && Constraints.HasRows != false ? UndecidedReasons.TableRows : 0;
        reasons |= canConflict && key.HasRows && !(isComparable && key.IsComparable) ? UndecidedReasons.KeyComparison : 0;
        key.HasRows = true;
        key.IsComparable &= isComparable;
        return reasons;
    }

    private UndecidedReasons JudgeDefaults(RowBlock block, int row)
    {
        for (var column = 0; column < _facts.Columns.Count; column++)
        {
            if (block.Get(row, column, out _) == CellState.Default && CanDefaultFail(_facts.Columns[column]))
            {
                return UndecidedReasons.DefaultExpression;
            }
        }

        return 0;
    }

    private UndecidedReasons FindReasonsOfEveryRow()
    {
        var (table, columns) = (_facts.Table, _facts.Columns);
        var unmapped = table.Columns.Where(
            column => !column.IsGenerated && _facts.IndexOf(column) < 0 && !_facts.Request.Assigns(column.Name));
        var worksOut = table.Columns.Any(column => column.IsGenerated)
            || table.UniqueKeys.Any(key => key.Parts.Any(part => part.Column is null));
        return If(Constraints.HasChecks, UndecidedReasons.CheckConstraint)
            | If(table.InsertTriggers.Count > 0, UndecidedReasons.Trigger)
            | If(worksOut, UndecidedReasons.GeneratedColumn)
            | If(Constraints.CanLackPartition, UndecidedReasons.Partition)
            | If(unmapped.Any(column => column.Default == ColumnDefault.Expression && CanDefaultFail(column)),
                UndecidedReasons.DefaultExpression)
            | If(_facts.Assignments.Count > 0, UndecidedReasons.SetExpression)
            | If(columns.Any(column => column.IsCharacter && !ColumnCharset.Named(column.Charset ?? "utf8mb4").IsKnown),
                UndecidedReasons.Charset)
            | If(columns.Any(column => column.Kind == ColumnKind.Geometry), UndecidedReasons.Geometry);
    }

    private static UndecidedReasons If(bool holds, UndecidedReasons reason) => holds ? reason : UndecidedReasons.None;

    /// <summary>The current time always fits; and of some types the catalogue has constants as expressions, too.</summary>
    private static bool CanDefaultFail(TableColumn column) => !column.IsTime && !column.Behaviour.HasOtherDefaultText;

    /// <summary>Whether a row can have a value in all columns of a foreign key.</summary>
    public static bool IsUsed(ForeignKey key, LoadFacts facts) => key.Columns.All(name =>
        facts.Table.Find(name) is not { } column || facts.IndexOf(column) >= 0 || facts.Request.Assigns(name)
        || column.Default != ColumnDefault.Null);

    private sealed class KeyInUse(ComparedKey key)
    {
        public ComparedKey Key { get; } = key;

        public bool HasRows { get; set; }

        /// <summary>Whether all values of the key can be compared here.</summary>
        public bool IsComparable { get; set; } = true;
    }
}

/// <summary>Records that only the server can judge, by reason. A record may have several.</summary>
internal sealed class UndecidedTally
{
    private static readonly (string Code, string Text)[] Words =
    [
        ("table-rows", "the table may have a row with the same key already"),
        ("key-comparison", "it could be a duplicate of an earlier record, by the column's collation or by a value that the server makes"),
        ("foreign-key", "the row that a foreign key refers to may be missing"),
        ("check-constraint", "the table has CHECK constraints"),
        ("trigger", "the table has INSERT triggers"),
        ("generated-column", "the table has columns or keys that the server computes from others"),
        ("partition", "a row may fit into none of the table's partitions"),
        ("default-expression", "the server computes a column's default"),
        ("set-expression", "the server computes a column (--set)"),
        ("time-zone", "it is not known whether a time exists, since the server's time zone is not known"),
        ("charset", "a column's character set is not known here"),
        ("geometry", "only the server knows whether a geometry is valid"),
    ];

    private readonly long[] _records = new long[Words.Length];

    public IReadOnlyList<UndecidedCount> Counts =>
        [.. Words.Select((word, i) => new UndecidedCount(word.Code, word.Text, _records[i])).Where(count => count.Records > 0)];

    public void Add(UndecidedReasons reasons)
    {
        for (var rest = (uint)reasons; rest != 0; rest &= rest - 1)
        {
            _records[BitOperations.TrailingZeroCount(rest)]++;
        }
    }
}

[Flags]
internal enum UndecidedReasons
{
    None = 0,
    TableRows = 1 << 0,
    KeyComparison = 1 << 1,
    ForeignKey = 1 << 2,
    CheckConstraint = 1 << 3,
    Trigger = 1 << 4,
    GeneratedColumn = 1 << 5,
    Partition = 1 << 6,
    DefaultExpression = 1 << 7,
    SetExpression = 1 << 8,
    TimeZone = 1 << 9,
    Charset = 1 << 10,
    Geometry = 1 << 11,
}
