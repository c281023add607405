using System.Text.RegularExpressions;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>What a job has done to rows that are taken back.</summary>
internal enum UndoKind
{
    /// <summary>They are deleted.</summary>
    Inserted,

    /// <summary>They get the values that they had.</summary>
    Changed,

    /// <summary>They are inserted again.</summary>
    Deleted,
}

/// <summary>Statements that take rows of one kind back. A table beside the target, <c>s</c>, has each row as the job has left it, or as it
/// was if the job has deleted it, and a column that says what became of it; the target is <c>t</c>. A chunk is the rows of state
/// <see cref="Current"/>: an index finds them. Pure.</summary>
/// <param name="copy">name of the table beside, in the same database</param>
/// <param name="others">foreign keys of other tables to the target</param>
/// <param name="own">foreign keys of the target to itself</param>
internal sealed class UndoSql(TableFacts table, string copy, IReadOnlyList<ForeignKey> others, IReadOnlyList<ForeignKey> own)
{
    /// <summary>What became of a row. Rows that others refer to have a state for each foreign key, from
    /// <see cref="Referred"/> on.</summary>
    public const int Pending = 0, Reversed = 1, Changed = 2, Gone = 3, Current = 4, Parent = 5, Refused = 6, Back = 7, PendingNew = 8,
        Referred = 10;

    private const int MaxState = 127;

    private readonly string _t = table.QuotedName;
    private readonly string _s = SqlName.Quote(table.Database, copy);
    private readonly string _on = JoinSql.On("t", table.PrimaryKey, "s", table.PrimaryKey);
    private readonly string _state = SqlName.Quote(StateOf(table));

    public UndoKind Kind { get; init; }

    /// <summary>The table of the rows as they were before the job; null: it has kept none.</summary>
    public string? Before { get; init; }

    /// <summary>The table of the rows as the job has left them; null: it has deleted them, or <see cref="Before"/> is null.</summary>
    public string? After { get; init; }

    /// <summary>Whether <see cref="After"/> has rows that the job has inserted, with their mark, and primary keys may have got another form
    /// of the same value.</summary>
    public bool IsOfImport { get; init; }

    public bool IsMariaDb { get; init; }

    private string JoinKept =>
        $"STRAIGHT_JOIN {Kept} b FORCE INDEX (PRIMARY) ON {JoinSql.On("b", table.PrimaryKey, "s", table.PrimaryKey)}";

    private string Kept => SqlName.Quote(table.Database, Before!);

    /// <summary>The column beside those of the table, and its index.</summary>
    private static string StateOf(TableFacts table) => table.FreeName("bulkload_state");

    /// <summary>Of rows that nobody has looked at.</summary>
    private int First => Kind == UndoKind.Inserted && IsOfImport ? PendingNew : Pending;

    /// <summary>Values go back as they are stored: also dates and zeros that other modes do not take.</summary>
    public const string TakeAnyValue = "SET SESSION sql_mode='NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES'";

    /// <summary>Rows that refer to those of the chunk must neither come nor go until it is committed.</summary>
    public static IReadOnlyList<string> Begin { get; } =
        [TransactionSql.RollBack, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"];

    /// <summary>Whether the table beside is loaded, and what became of its rows is kept: a row, or none.</summary>
    public string FindState =>
        $"SELECT 1 FROM information_schema.STATISTICS WHERE {CatalogSql.Is(table.Database, copy)} AND INDEX_NAME = "
        + $"{SqlLiteral.Quote(StateOf(table))}";

    public string AddState => $"ALTER TABLE {_s} ADD COLUMN {_state} TINYINT NOT NULL DEFAULT {Pending}";

    /// <summary>Says that the table beside is loaded.</summary>
    public string AddIndexOfState => $"ALTER TABLE {_s} ADD KEY {_state} ({_state})";

    /// <summary>Empty: nobody refers to the table.</summary>
    public IEnumerable<string> LookAtReferring => others.Select(key => $"SELECT 1 FROM {SqlName.Quote(key.Database, key.Table)} WHERE "
        + $"{string.Join(" AND ", key.Columns.Select(column => $"{SqlName.Quote(column)} IS NULL"))} LIMIT 0");

    /// <summary>Shows the server what is meant, before anything is made.</summary>
    public string Look => Kind == UndoKind.Inserted ? $"DELETE FROM {_t} WHERE {SqlName.Quote(table.FoundBy)} IS NULL"
        : Kind == UndoKind.Deleted ? $"INSERT INTO {_t} ({Columns("")}) SELECT {Columns("")} FROM {_t} WHERE FALSE"
        : $"UPDATE {_t} SET {string.Join(", ", Settable.Select(name => $"{name} = {name}"))} WHERE "
            + $"{SqlName.Quote(table.FoundBy)} IS NULL";

    /// <summary>Rows that the job has not changed are left out.</summary>
    public string FillFromImages
    {
        get
        {
            var left = After is null ? "" : $"{SqlName.Quote(table.Database, After)} a";
            var kept = $"{Kept} b ON {JoinSql.On("b", table.PrimaryKey, "a", table.PrimaryKey)}";
            var isNew = $"a.{SqlName.Quote(ImageSql.MarkOf(table))}";
            return $"{ImageSql.Copying("INSERT", IsMariaDb)} INTO {_s} ({Columns("")}, {_state}) "
                + (After is null ? $"SELECT {Columns("b.")}, {Pending} FROM {Kept} b"
                    : IsOfImport ? $"SELECT {Columns("a.")}, IF({isNew}, {PendingNew}, {Pending}) FROM {left} LEFT JOIN {kept} WHERE "
                        + $"{isNew} OR NOT ({AreSame("a", "b")})"
                    : $"SELECT {Columns("a.")}, {Pending} FROM {left} STRAIGHT_JOIN {kept} WHERE NOT ({AreSame("a", "b")})");
        }
    }

    /// <summary>Begins a chunk with the last rows that are left: rows mostly refer to earlier ones.</summary>
    public string Take(int rows) =>
        $"UPDATE {_s} FORCE INDEX ({_state}) SET {_state} = {Current} WHERE {_state} = {First} ORDER BY "
        + $"{string.Join(", ", table.PrimaryKey.Select(column => $"{SqlName.Quote(column)} DESC"))} LIMIT {rows}";

    /// <summary>Lets nobody change, delete or refer to the chunk's rows until it is committed.</summary>
    public string Lock => $"SELECT COUNT(*) FROM {Chunk} STRAIGHT_JOIN {_t} t FORCE INDEX (PRIMARY) ON {_on} {InChunk} FOR UPDATE";

    private string MarkGone =>
        $"UPDATE {Chunk} LEFT JOIN {_t} t FORCE INDEX (PRIMARY) ON {_on} SET s.{_state} = {Gone} {InChunk} AND "
        + $"t.{SqlName.Quote(table.FoundBy)} IS NULL";

    /// <summary>By every stored column.</summary>
    private string MarkChanged =>
        $"UPDATE {Chunk} STRAIGHT_JOIN {_t} t FORCE INDEX (PRIMARY) ON {_on} SET s.{_state} = {Changed} {InChunk} AND NOT ("
        + $"{AreSame("t", "s")})";

    /// <summary>Deleted rows that somebody has inserted again.</summary>
    private string MarkBack =>
        $"UPDATE {Chunk} STRAIGHT_JOIN {_t} t FORCE INDEX (PRIMARY) ON {_on} SET s.{_state} = {Back} {InChunk}";

    /// <summary>Statements that find the rows of the chunk that must stay as they are.</summary>
    public IEnumerable<string> Marks => Kind switch
    {
        UndoKind.Inserted => [MarkGone, MarkChanged, .. MarkReferred],
        UndoKind.Changed => [MarkGone, MarkChanged],
        _ => [MarkChanged, MarkBack],
    };

    /// <summary>Puts the chunk's rows back as they were; null: they are deleted.</summary>
    public string? PutBack => Kind == UndoKind.Inserted ? null
        : Kind == UndoKind.Deleted ? $"INSERT INTO {_t} ({Columns("")}) SELECT {Columns("s.")} FROM {Chunk} {InChunk} ORDER BY "
            + string.Join(", ", table.PrimaryKey.Select(column => $"s.{SqlName.Quote(column)}"))
        : $"UPDATE {Chunk} STRAIGHT_JOIN {_t} t FORCE INDEX (PRIMARY) ON {_on} {JoinKept} SET "
            + $"{string.Join(", ", Settable.Select(name => $"t.{name} = b.{name}"))} {InChunk}";

    /// <summary>One value: how many of the chunk's rows that were put back are not as they were.</summary>
    public string CountDifferent =>
        $"SELECT COUNT(*) FROM {Chunk} STRAIGHT_JOIN {_t} t FORCE INDEX (PRIMARY) ON {_on} "
        + (Kind == UndoKind.Deleted ? "" : $"{JoinKept} ")
        + $"{InChunk} AND NOT ({AreSame("t", Kind == UndoKind.Deleted ? "s" : "b")})";

    /// <summary>Whether rows that are put back may get other values.</summary>
    public bool HasTriggers => table.HasTriggers;

    /// <summary>The server does not take the chunk's rows as they were.</summary>
    public string MarkRefused => Move(Current, Refused);

    /// <summary>A statement for each foreign key of another table.</summary>
    private IEnumerable<string> MarkReferred => others.Select((key, i) =>
        $"UPDATE {Chunk} STRAIGHT_JOIN {_t} t FORCE INDEX (PRIMARY) ON {_on} JOIN {SqlName.Quote(key.Database, key.Table)} c ON "
        + $"{JoinSql.On("c", key.Columns, "t", key.ToColumns)} SET s.{_state} = {ReferredBy(i)} {InChunk}");

    /// <summary>A statement for each foreign key of the table to itself: the chunk's rows that another row of the table refers to wait for
    /// that one.</summary>
    /// <param name="isPreview">whether reversed rows are still there</param>
    public IEnumerable<string> MarkParents(bool isPreview) => own.Select(key =>
        $"UPDATE {Chunk} STRAIGHT_JOIN {_t} t FORCE INDEX (PRIMARY) ON {_on} JOIN {_t} c ON "
        + $"{JoinSql.On("c", key.Columns, "t", key.ToColumns)} AND NOT ({JoinSql.On("c", table.PrimaryKey, "t", table.PrimaryKey)})"
        + (isPreview ? $" LEFT JOIN {_s} r ON {JoinSql.On("r", table.PrimaryKey, "c", table.PrimaryKey)} AND r.{_state} = {Reversed}" : "")
        + $" SET s.{_state} = {Parent} {InChunk}"
        + (isPreview ? $" AND r.{SqlName.Quote(table.FoundBy)} IS NULL" : ""));

    /// <summary>Of the chunk's rows those that refer to themselves, which the server does not delete; empty: none can.</summary>
    public IEnumerable<string> Unlink => own.Where(key => table.NullableOf(key).Any()).Select(key =>
        $"UPDATE {Chunk} STRAIGHT_JOIN {_t} t FORCE INDEX (PRIMARY) ON {_on} SET "
        + $"{string.Join(", ", table.NullableOf(key).Select(column => $"t.{SqlName.Quote(column)} = NULL"))} {InChunk} AND "
        + JoinSql.On("t", key.Columns, "t", key.ToColumns));

    public string Delete => $"DELETE {_t} FROM {Chunk} STRAIGHT_JOIN {_t} FORCE INDEX (PRIMARY) ON "
        + $"{JoinSql.On(_t, table.PrimaryKey, "s", table.PrimaryKey)} {InChunk}";

    public string MarkReversed => Move(Current, Reversed);

    /// <summary>The chunk is looked at again without the rows that are reversed.</summary>
    public string TakeParents => Move(Parent, Current);

    /// <summary>Ends a chunk.</summary>
    public string KeepParents => Move(Parent, ReferredBy(others.Count));

    /// <summary>Another pass over rows that others referred to, or were in the way of.</summary>
    public string TakeReferred => $"UPDATE {_s} SET {_state} = {First} WHERE "
        + (Kind == UndoKind.Inserted ? $"{_state} >= {Referred}" : $"{_state} = {Refused}");

    /// <summary>A row a state: state, number of rows.</summary>
    public string CountStates => $"SELECT {_state}, COUNT(*) FROM {_s} GROUP BY {_state}";

    /// <summary>The first primary keys, as text.</summary>
    public string Show(int state, int most) =>
        $"SELECT CONCAT_WS(', ', {string.Join(", ", table.PrimaryKey.Select(Shown))}) FROM {_s} s WHERE s.{_state} = {state} "
        + $"ORDER BY {string.Join(", ", table.PrimaryKey.Select(column => $"s.{SqlName.Quote(column)}"))} LIMIT {most}";

    /// <summary>The foreign key of another table whose rows refer to rows of that state; null: one of the table itself.</summary>
    public ForeignKey? KeyOf(int state) => others.ElementAtOrDefault(state - Referred);

    private IEnumerable<string> Settable =>
        ImageSql.Stored(table).Where(name => IsOfImport || !table.PrimaryKey.Contains(name)).Select(SqlName.Quote);

    private string Columns(string alias) => string.Join(", ", ImageSql.Stored(table).Select(name => alias + SqlName.Quote(name)));

    private string AreSame(string one, string other) => string.Join(" AND ", table.Columns.Where(column => !column.IsGenerated)
        .Select(column => ExactSql.AreSame(
            $"{one}.{SqlName.Quote(column.Name)}", $"{other}.{SqlName.Quote(column.Name)}", column.Kind)));

    private string Chunk => $"{_s} s FORCE INDEX ({_state})";

    private string InChunk => $"WHERE s.{_state} = {Current}";

    private string Move(int from, int to) => $"UPDATE {_s} FORCE INDEX ({_state}) SET {_state} = {to} WHERE {_state} = {from}";

    private static int ReferredBy(int key) => Math.Min(Referred + key, MaxState);

    private string Shown(string column) =>
        ColumnSql.Of(table.Find(column)!.Kind).Shown($"s.{SqlName.Quote(column)}", StageSql.MaxShown);
}

/// <summary>Makes the statement of a table that has the columns, CHECKs and the primary key of another one, and nothing that refuses a
/// record for other rows, or makes or changes a value. Pure.</summary>
internal static partial class CopyText
{
    private const string AutoIncrement = " AUTO_INCREMENT";

    /// <param name="definition">the table's, as the server writes it</param>
    /// <param name="quotedCopy">with its schema</param>
    /// <param name="ids">the AUTO_INCREMENT column, if rows get numbers in it as they come; null: they have values</param>
    public static string Create(string definition, string quotedCopy, string? ids = null)
    {
        var (items, options) = TableText.Parts(definition);
        var kept = items.Select(item => NameOfCheck().Replace(item, _ => ""))
            .Where(item => item[0] == '`' || item.StartsWith("PRIMARY KEY", StringComparison.Ordinal)
                || item.StartsWith("CHECK", StringComparison.Ordinal))
            .Select(item => Made().Replace(
                item, found => found.Groups[1].Success || (ids is not null && found.Value == AutoIncrement) ? found.Value : ""))
            .Concat(ids is null ? [] : [$"KEY ({SqlName.Quote(ids)})"]);
        return $"CREATE TABLE {quotedCopy} (\n{string.Join(",\n", kept)}\n){options}";
    }

    /// <summary>On MySQL it is unique in a schema.</summary>
    [GeneratedRegex("^CONSTRAINT `(?:[^`]|``)+` (?=CHECK)", RegexOptions.CultureInvariant)]
    private static partial Regex NameOfCheck();

    /// <summary>A name or a text, which stays; or what lets the server make a value, also when only the state of a row changes.</summary>
    [GeneratedRegex(
        @"(`(?:[^`]|``)*`|'(?:[^'\\]|''|\\.)*')| AUTO_INCREMENT\b| ON UPDATE current_timestamp(?:\(\d*\))?",
        RegexOptions.CultureInvariant | RegexOptions.IgnoreCase | RegexOptions.Singleline)]
    private static partial Regex Made();
}
