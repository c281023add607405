using System.Collections.Frozen;
using System.Text.Json.Serialization;

namespace BulkLoad.Core.Schema;

internal sealed record TableFacts
{
    public required string Database { get; init; }

    public required string Name { get; init; }

    /// <summary>The table of the same database that this is a temporary copy of.</summary>
    public string? CopyOf { get; init; }

    /// <summary>The table that people know, in whose place this one is loaded; null: they know this one.</summary>
    public KnownTable? Known { get; init; }

    /// <summary>Of it, whose rows alone are meant; null: all of it.</summary>
    public string? Partition { get; init; }

    public required string Engine { get; init; }

    public required bool IsTransactional { get; init; }

    /// <summary>What of a transaction the engine can undo alone, if it has transactions.</summary>
    public UndoPart UndoPart { get; init; }

    /// <summary>Whether statements behind a savepoint can be undone.</summary>
    public bool UndoesBatches => IsTransactional && UndoPart == UndoPart.Savepoint;

    /// <summary>Columns of which an engine that is not known here has given back other values than it got.</summary>
    public IReadOnlySet<string> ChangedByEngine { get; init; } = FrozenSet<string>.Empty;

    /// <summary>Why nobody could try whether the engine, which is not known here, gives back what it got, for people; null: it is known,
    /// or was tried.</summary>
    public string? EngineRefusal { get; init; }

    public required IReadOnlyList<TableColumn> Columns { get; init; }

    /// <summary>The account, where it lacks a right on a column; else null.</summary>
    public string? Account { get; init; }

    public string Grant(string rights) => SqlGrant.Of(rights, Database, CopyOf ?? Name, Account);

    /// <summary>The table for an account that judges records by it, and so needs no right but SELECT.</summary>
    public TableFacts ToJudgeBy() => this with { Columns = [.. Columns.Select(column => column with { CanInsert = true })] };

    /// <summary>How many of the last columns do not exist yet.</summary>
    public int NewColumns { get; init; }

    public required IReadOnlyList<string> InsertTriggers { get; init; }

    /// <summary>Such a trigger may change the row before it is stored.</summary>
    public bool HasBeforeTrigger => InsertTriggers.Any(RunsBefore);

    public static bool RunsBefore(string trigger) => trigger.EndsWith("(BEFORE INSERT)", StringComparison.Ordinal);

    public IReadOnlyList<string> UpdateTriggers { get; init; } = [];

    public IReadOnlyList<string> DeleteTriggers { get; init; } = [];

    public bool HasTriggers => InsertTriggers.Count + UpdateTriggers.Count + DeleteTriggers.Count > 0;

    /// <summary>Triggers that may call a stored function.</summary>
    public IReadOnlyList<string> CallingTriggers { get; init; } = [];

    /// <summary>The primary key first.</summary>
    public IReadOnlyList<UniqueKey> UniqueKeys { get; init; } = [];

    public IReadOnlyList<string> PrimaryKey => [.. UniqueKeys.Where(key => key.IsPrimary).SelectMany(key => key.Columns)];

    /// <summary>Columns of the other unique keys, without those that have an expression.</summary>
    public IEnumerable<IReadOnlyList<string>> OtherKeys => UniqueKeys.Where(
        key => !key.IsPrimary && key.Parts.All(part => part.Column is not null)).Select(key => (IReadOnlyList<string>)[.. key.Columns]);

    /// <summary>The first unique key that identifies every row: of whole columns that are not NULL.</summary>
    public UniqueKey? RowKey =>
        UniqueKeys.FirstOrDefault(
            key => key.Parts.All(part => part is { Column: { } name, Prefix: null } && Find(name) is { IsNullable: false }));

    /// <summary>Its foreign keys. Set only where several tables are looked at together.</summary>
    public IReadOnlyList<ForeignKey> References { get; init; } = [];

    /// <summary>Tables with foreign keys to this one that the account may see.</summary>
    public IReadOnlyList<string> Referencing { get; init; } = [];

    /// <summary>Set only if several sessions are possible.</summary>
    public bool RefersToItself { get; init; }

    /// <summary>Whether CHECKs, partitions or foreign keys can refuse a row. Set only if nothing can be undone.</summary>
    public bool HasConstraints { get; init; }

    /// <summary>MariaDB's system-versioned tables keep old rows.</summary>
    public bool IsVersioned { get; init; }

    /// <summary>Bytes that a row takes on average, by the storage engine's estimate; 0: it has none. Null unless rows are changed and
    /// the server limits what a transaction can have.</summary>
    public long? RowBytes { get; init; }

    /// <summary>CREATE_TIME as the server writes it, and the next generated number. Set only by a look at a whole database.</summary>
    public (string? Created, ulong? NextNumber) Status { get; init; }

    public string? NumberColumn => Columns.FirstOrDefault(column => column.Default == ColumnDefault.AutoIncrement)?.Name;

    /// <summary><c>database.table</c>, for people: the one that they know.</summary>
    public string DisplayName => $"{(Partition is null ? "" : $"partition {Partition} of ")}{Database}.{Known?.Name ?? Name}";

    /// <summary><c>database.table</c> of the table that other sessions see, for what is in it and who may use it.</summary>
    public string OwnName => $"{Database}.{CopyOf ?? Name}";

    /// <summary>With the partition, if it is one.</summary>
    public string QuotedName => SqlName.Quote(Database, Name) + (Partition is null ? "" : $" PARTITION ({SqlName.Quote(Partition)})");

    /// <summary>The table that other sessions see: for a temporary copy, the original.</summary>
    public TableFacts Lasting => (CopyOf is null ? this : this with { Name = CopyOf, CopyOf = null }) with { Partition = null };

    /// <summary>Ignores case, as the server does.</summary>
    public TableColumn? Find(string column) =>
        Columns.FirstOrDefault(candidate => candidate.Name.Equals(column, StringComparison.OrdinalIgnoreCase));

    /// <summary>Columns of a foreign key that may be NULL until their row is there.</summary>
    public IEnumerable<string> NullableOf(ForeignKey key) =>
        key.Columns.Where(column => Find(column) is { IsNullable: true, IsGenerated: false } && !PrimaryKey.Contains(column));

    /// <summary>A column of the primary key that shows whether a join found a row. A zero date IS NULL where the column is NOT NULL, so
    /// another column is better. Needs a primary key.</summary>
    public string FoundBy =>
        PrimaryKey.FirstOrDefault(name => Find(name)!.Behaviour.Family != ColumnFamily.Date) ?? PrimaryKey[0];

    /// <summary>A name that no column of the table has.</summary>
    /// <param name="stem">with which it begins</param>
    public string FreeName(string stem)
    {
        while (Find(stem) is not null)
        {
            stem += "_";
        }

        return stem;
    }
}

/// <summary>A foreign key. Both lists of columns have the same order. <paramref name="DeleteRule"/> is CASCADE, SET NULL, RESTRICT or NO
/// ACTION.</summary>
internal sealed record ForeignKey(string Name, string Database, string Table, IReadOnlyList<string> Columns, string ToDatabase,
    string ToTable, IReadOnlyList<string> ToColumns, string DeleteRule)
{
    /// <summary>Same values as the rule of deletion.</summary>
    public string UpdateRule { get; init; } = "RESTRICT";

    public bool IsToItself => (Database, Table) == (ToDatabase, ToTable);

    /// <summary>Reads foreign keys: a row for each column, in the key's order (ConstraintSql.References).</summary>
    public static IReadOnlyList<ForeignKey> Read(IEnumerable<string?[]> rows) =>
    [
        .. rows.GroupBy(row => (Database: row[0]!, Table: row[1]!, Name: row[2]!)).Select(key =>
        {
            var first = key.First();
            var (columns, toColumns) = (key.Select(row => row[3]!).ToList(), key.Select(row => row[6]!).ToList());
            var (database, table, name) = key.Key;
            return new ForeignKey(name, database, table, columns, first[4]!, first[5]!, toColumns, first[7] ?? "")
            {
                UpdateRule = first[8] ?? "",
            };
        }),
    ];

    public string Show() => $"{Table}.{string.Join('+', Columns)} -> {ToTable}";
}

internal sealed record TableConstraints
{
    /// <summary>Of a table that is not there yet.</summary>
    public static TableConstraints None { get; } = new()
    {
        ForeignKeys = [],
        HasChecks = false,
        CanLackPartition = false,
        HasRows = false,
    };

    public required IReadOnlyList<ForeignKey> ForeignKeys { get; init; }

    /// <summary>Only enforced ones.</summary>
    public required bool HasChecks { get; init; }

    /// <summary>Partitions by range or list need not have room for every row.</summary>
    public required bool CanLackPartition { get; init; }

    /// <summary>Null: the account may not look.</summary>
    public required bool? HasRows { get; init; }
}

/// <summary>A null column is an expression. <paramref name="Prefix"/> is how many characters or bytes count; null: all.</summary>
internal sealed record KeyPart(string? Column, int? Prefix = null);

internal sealed record UniqueKey(string Name, IReadOnlyList<KeyPart> Parts)
{
    public const string Primary = "PRIMARY";

    public bool IsPrimary => Name == Primary;

    /// <summary>Without expressions.</summary>
    public IEnumerable<string> Columns => Parts.Select(part => part.Column).OfType<string>();
}

/// <summary>An index that is not the primary key. <paramref name="Kind"/> is the word before KEY, such as <c>UNIQUE</c>.
/// <paramref name="Text"/> is its line of SHOW CREATE TABLE, without the comma.</summary>
internal sealed record IndexDefinition(string Name, string Kind, string Text);

/// <param name="Name">as the server spells it</param>
/// <param name="Reason">for people</param>
internal sealed record KeptIndex([property: JsonPropertyName("index")] string Name, string Reason);

/// <summary>What can be dropped before a load and added again. <paramref name="Kept"/> are the others without the primary key.</summary>
internal sealed record IndexFacts(IReadOnlyList<IndexDefinition> Dropped, IReadOnlyList<KeptIndex> Kept)
{
    /// <summary>The server's estimate.</summary>
    public long? Rows { get; init; }

    /// <summary>Whether the server writes all indexes in the same order when those that were dropped are added again.</summary>
    public bool KeepsOrder { get; init; }

    /// <summary>Ignores case, as the server does.</summary>
    public bool Has(string name) =>
        Dropped.Select(index => index.Name).Concat(Kept.Select(index => index.Name)).Contains(name, StringComparer.OrdinalIgnoreCase);
}

/// <summary>What a column gets if the input has no value for it.</summary>
internal enum ColumnDefault
{
    /// <summary>NOT NULL without a default: the input must have a value.</summary>
    None,

    Null,

    Constant,

    Expression,

    AutoIncrement,
}

internal sealed record TableColumn
{
    public required string Name { get; init; }

    /// <summary>The type as the server writes it, such as <c>decimal(10,2) unsigned</c>.</summary>
    public required string TypeText { get; init; }

    public required ColumnKind Kind { get; init; }

    public required bool IsNullable { get; init; }

    /// <summary>The engine takes NULL, and stores another value.</summary>
    public bool LosesNull { get; init; }

    public required ColumnDefault Default { get; init; }

    /// <summary>The constant, as a file would write it.</summary>
    public string? DefaultText { get; init; }

    public bool IsGenerated { get; init; }

    /// <summary>Whether the default is a constant, also where the catalogue does not have it as a file would write it.</summary>
    public bool HasConstantDefault { get; init; }

    /// <summary>Of a generated column, or of a default.</summary>
    public string? Expression { get; init; }

    /// <summary>Not a column, but a field of the input that <c>--set</c> reads: text, named with its <c>@</c>.</summary>
    public bool IsField { get; init; }

    public bool IsInvisible { get; init; }

    public bool CanInsert { get; init; } = true;

    public bool CanUpdate { get; init; } = true;

    public bool CanSelect { get; init; } = true;

    /// <summary>1, 2, 3, 4 or 8.</summary>
    public int IntegerBytes { get; init; }

    /// <summary>TINYINT(1) and BIT(1) also take words for true and false.</summary>
    public bool IsBoolean { get; init; }

    /// <summary>For kinds with fractions.</summary>
    public bool IsUnsigned { get; init; }

    /// <summary>All digits of DECIMAL, FLOAT(m,d) and DOUBLE(m,d), 0 without (m,d); bits of BIT.</summary>
    public int Precision { get; init; }

    /// <summary>Digits behind the point if there is a <see cref="Precision"/>; fractional digits of seconds.</summary>
    public int Scale { get; init; }

    /// <summary>0: only <see cref="MaxBytes"/> is the limit.</summary>
    public long MaxCharacters { get; init; }

    /// <summary>Bytes in the column's own character set.</summary>
    public long MaxBytes { get; init; }

    public string? Charset { get; init; }

    /// <summary>Null: it is no text.</summary>
    public string? Collation { get; init; }

    /// <summary>ENUM and SET, in order.</summary>
    public IReadOnlyList<string> Labels { get; init; } = [];

    /// <summary>Most numbers of a VECTOR; 0: another type.</summary>
    public int VectorSize { get; init; }

    /// <summary>Such as <c>POINT</c>. <c>GEOMETRY</c> takes them all.</summary>
    public string GeometryType { get; init; } = "";

    /// <summary>The spatial reference system; 0 for the plane.</summary>
    public uint Srid { get; init; }

    /// <summary>Of all in the catalogue but rights and <see cref="Srid"/>. Empty: nothing was asked.</summary>
    public string Digest { get; init; } = "";

    public ColumnBehaviour Behaviour => ColumnBehaviour.Of(Kind);

    public bool IsBinary => Behaviour.Family == ColumnFamily.Bytes;

    /// <summary>Not BIT and YEAR.</summary>
    public bool IsNumber => Behaviour.Family is ColumnFamily.Integer or ColumnFamily.Fraction;

    public bool IsCharacter => Behaviour.Family == ColumnFamily.Character;

    /// <summary>Text, or labels, which are sent as text.</summary>
    public bool IsText => Behaviour.Family is ColumnFamily.Character or ColumnFamily.Label;

    /// <summary>A date, a time of day, or both.</summary>
    public bool IsTime => Behaviour.Family is ColumnFamily.Date or ColumnFamily.Time;
}

/// <summary>What of a transaction a storage engine can undo alone.</summary>
internal enum UndoPart
{
    /// <summary>All behind a savepoint.</summary>
    Savepoint,

    /// <summary>A statement that fails undoes itself. MyRocks takes a savepoint, and refuses to return to it (error 4061).</summary>
    Statement,

    /// <summary>Nothing but a row: Spider's statement may have reached one shard, and fail at another.</summary>
    Row,
}
