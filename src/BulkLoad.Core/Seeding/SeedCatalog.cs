using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Seeding;

/// <summary>A column as the catalogue tells of it.</summary>
/// <param name="Type">DATA_TYPE, in lower case</param>
internal sealed record SeedColumn(string Name, string Type, bool IsNullable, bool IsGenerated);

/// <summary>A foreign key.</summary>
/// <param name="Columns">of the table that has it</param>
/// <param name="ToColumns">of the table that it refers to, in the same order</param>
/// <param name="DeleteRule">CASCADE, SET NULL, RESTRICT, NO ACTION</param>
internal sealed record SeedReference(string Name, string Table, IReadOnlyList<string> Columns, string ToDatabase, string ToTable, IReadOnlyList<string> ToColumns, string DeleteRule)
{
    public bool IsToItself => Table == ToTable;

    /// <summary>As people write it.</summary>
    public string Show() => $"{Table}.{string.Join('+', Columns)} -> {ToTable}";
}

/// <summary>A base table.</summary>
internal sealed record SeedTable(string Database, string Name)
{
    public string? Engine { get; init; }

    /// <summary>CREATE_TIME as the server writes it.</summary>
    public string? Created { get; init; }

    /// <summary>The next generated number; null: it has none.</summary>
    public ulong? NextNumber { get; init; }

    /// <summary>The column that gets generated numbers; null: none.</summary>
    public string? NumberColumn { get; init; }

    public IReadOnlyList<SeedColumn> Columns { get; init; } = [];

    /// <summary>Columns of the primary key in its order; empty: none.</summary>
    public IReadOnlyList<string> Key { get; init; } = [];

    /// <summary>Columns of each unique index but the primary key.</summary>
    public IReadOnlyList<IReadOnlyList<string>> UniqueKeys { get; init; } = [];

    public IReadOnlyList<SeedReference> References { get; init; } = [];

    public bool HasTriggers { get; init; }

    public string QuotedName => SqlName.Quote(Database, Name);

    public SeedColumn? Find(string column) => Columns.FirstOrDefault(one => one.Name.Equals(column, StringComparison.OrdinalIgnoreCase));
}

/// <summary>The base tables of a database, and what refers to them.</summary>
/// <param name="Tables">without those of bulkload itself</param>
/// <param name="Outside">foreign keys of other databases' tables to these</param>
internal sealed record SeedCatalog(IReadOnlyList<SeedTable> Tables, IReadOnlyList<(string Database, SeedReference Reference)> Outside)
{
    /// <summary>Every table that the program makes for itself begins so.</summary>
    public const string OwnPrefix = "bulkload_";

    public static async Task<SeedCatalog> ReadAsync(IServerSession session, string database, CancellationToken cancellationToken)
    {
        var schema = SqlLiteral.Quote(database);
        var answers = await session.QueryAllAsync(
        [
            $"SELECT TABLE_NAME, ENGINE, CREATE_TIME, AUTO_INCREMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = {schema} AND TABLE_TYPE = 'BASE TABLE' ORDER BY TABLE_NAME",
            "SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, IS_NULLABLE, EXTRA, IFNULL(GENERATION_EXPRESSION, '') <> '' FROM information_schema.COLUMNS "
                + $"WHERE TABLE_SCHEMA = {schema} ORDER BY TABLE_NAME, ORDINAL_POSITION",
            "SELECT TABLE_NAME, INDEX_NAME, COLUMN_NAME FROM information_schema.STATISTICS "
                + $"WHERE TABLE_SCHEMA = {schema} AND NON_UNIQUE = 0 ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX",
            "SELECT k.TABLE_SCHEMA, k.TABLE_NAME, k.CONSTRAINT_NAME, k.COLUMN_NAME, k.REFERENCED_TABLE_SCHEMA, k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME, r.DELETE_RULE "
                + "FROM information_schema.KEY_COLUMN_USAGE k JOIN information_schema.REFERENTIAL_CONSTRAINTS r ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA "
                + "AND r.TABLE_NAME = k.TABLE_NAME AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME "
                + $"WHERE (k.TABLE_SCHEMA = {schema} OR k.REFERENCED_TABLE_SCHEMA = {schema}) AND k.REFERENCED_TABLE_NAME IS NOT NULL "
                + "ORDER BY k.TABLE_SCHEMA, k.TABLE_NAME, k.CONSTRAINT_NAME, k.ORDINAL_POSITION",
            $"SELECT DISTINCT EVENT_OBJECT_TABLE FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = {schema}",
        ],
        cancellationToken);
        var columns = answers[1].Rows.ToLookup(row => row[0]!, row => new SeedColumn(
            row[1]!, row[2]!.ToLowerInvariant(), row[3] == "YES", row[5] == "1" || row[4]!.Contains("VIRTUAL", StringComparison.OrdinalIgnoreCase)
                || row[4]!.Contains("STORED GENERATED", StringComparison.OrdinalIgnoreCase)));
        var indexes = answers[2].Rows.ToLookup(row => row[0]!);
        var references = answers[3].Rows.GroupBy(row => (Database: row[0]!, Table: row[1]!, Name: row[2]!)).Select(key => (key.Key.Database, Reference: new SeedReference(
            key.Key.Name, key.Key.Table, [.. key.Select(row => row[3]!)], key.First()[4]!, key.First()[5]!, [.. key.Select(row => row[6]!)], key.First()[7]!))).ToList();
        var triggers = answers[4].Rows.Select(row => row[0]!).ToHashSet(StringComparer.Ordinal);
        return new SeedCatalog(
            [.. answers[0].Rows.Where(row => !row[0]!.StartsWith(OwnPrefix, StringComparison.Ordinal)).Select(row => new SeedTable(database, row[0]!)
            {
                Engine = row[1],
                Created = row[2],
                NextNumber = row[3] is { } next ? ulong.Parse(next) : null,
                NumberColumn = answers[1].Rows.FirstOrDefault(column => column[0] == row[0] && column[4]!.Contains("auto_increment", StringComparison.OrdinalIgnoreCase))?[1],
                Columns = [.. columns[row[0]!]],
                Key = [.. indexes[row[0]!].Where(index => index[1] == "PRIMARY").Select(index => index[2]!)],
                UniqueKeys = [.. indexes[row[0]!].Where(index => index[1] != "PRIMARY" && index[2] is not null).GroupBy(index => index[1]!).Select(index => (IReadOnlyList<string>)[.. index.Select(one => one[2]!)])],
                References = [.. references.Where(one => one.Database == database && one.Reference.Table == row[0]).Select(one => one.Reference)],
                HasTriggers = triggers.Contains(row[0]!),
            })],
            [.. references.Where(one => one.Database != database)]);
    }

    /// <summary>The table of that name; where there is none and one differs only in case, that.</summary>
    public SeedTable? Find(string name)
    {
        var alike = Tables.Where(table => table.Name.Equals(name, StringComparison.OrdinalIgnoreCase)).ToList();
        return alike.FirstOrDefault(table => table.Name == name) ?? (alike.Count == 1 ? alike[0] : null);
    }
}
