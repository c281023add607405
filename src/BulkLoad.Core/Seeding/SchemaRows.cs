using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Seeding;

/// <summary>Makes of a table's text what the catalogue would say of it, and reads that by the same rules. Pure.</summary>
internal static class SchemaRows
{
    /// <summary>Engines that cannot roll back.</summary>
    private static readonly string[] NotTransactional = ["MyISAM", "Aria", "MEMORY", "HEAP", "CSV", "ARCHIVE", "BLACKHOLE", "MERGE",
        "MRG_MyISAM", "FEDERATED", "S3"];

    /// <summary>The table as its probe would have it.</summary>
    /// <param name="table">as it is written</param>
    /// <param name="database">for people, where the text names none</param>
    public static TableFacts ToFacts(SchemaTable table, string database, SqlDialect dialect) => new()
    {
        Database = table.Database ?? database,
        Name = table.Name,
        Engine = table.Engine,
        IsTransactional = !NotTransactional.Contains(table.Engine, StringComparer.OrdinalIgnoreCase),
        Columns = [.. table.Columns.Select(column => CatalogRow.ToColumn(column, table, dialect))],
        InsertTriggers = table.InsertTriggers,
        UniqueKeys =
        [
            .. table.Primary is { } primary ? [new UniqueKey("PRIMARY", Whole(primary, table))] : Array.Empty<UniqueKey>(),
            .. table.Uniques.OrderBy(key => key.Name, StringComparer.OrdinalIgnoreCase)
                .Select(key => key with { Parts = Whole(key.Parts, table) }),
        ],
        RefersToItself = table.References.Any(key => key.IsToItself),
        IsVersioned = table.IsVersioned,
    };

    /// <summary>A prefix as long as the column is none.</summary>
    private static IReadOnlyList<KeyPart> Whole(IReadOnlyList<KeyPart> parts, SchemaTable table) =>
    [
        .. parts.Select(part => part is { Column: { } name, Prefix: { } prefix }
            && table.Columns.ElementAtOrDefault(table.IndexOf(name)) is { Type: "char" or "varchar" or "binary" or "varbinary" } column
            && prefix >= (column.Numbers.Count > 0 ? column.Numbers[0] : 1) ? part with { Prefix = null } : part),
    ];

    /// <summary>What rows must agree with.</summary>
    /// <param name="table">as it is written; supposed to be empty unless its text fills it</param>
    public static TableConstraints ToConstraints(SchemaTable table) => new()
    {
        ForeignKeys = [.. table.References.Select(key => new ForeignKey(key.Name, key.Columns))],
        HasChecks = table.HasChecks,
        CanLackPartition = table.CanLackPartition,
        HasRows = table.HasRows,
    };

    /// <summary>The table for the order of a seed.</summary>
    /// <param name="database">of all tables that name none</param>
    public static SeedTable ToSeedTable(SchemaTable table, TableFacts facts, string database, SchemaReader all) =>
        new(table.Database ?? database, table.Name)
        {
            Engine = table.Engine,
            NumberColumn = table.Columns.FirstOrDefault(column => column.IsAutoIncrement)?.Name,
            Columns = [.. facts.Columns.Select(column => new SeedColumn(column.Name, column.Kind, column.IsNullable, column.IsGenerated))],
            Key = [.. (table.Primary ?? []).Select(part => part.Column).OfType<string>()],
            UniqueKeys = [.. table.Uniques.Where(key => key.Parts.All(part => part.Column is not null))
            .Select(key => (IReadOnlyList<string>)[.. key.Columns])],
            References = [.. table.References.Select(key => Complete(key, all, database))],
            HasTriggers = table.InsertTriggers.Count > 0,
        };

    /// <summary>A foreign key with the names that its table has, and with the primary key's columns where it names none.</summary>
    private static SeedReference Complete(SeedReference key, SchemaReader all, string database)
    {
        var to = key.ToDatabase;
        var parent = to.Length == 0 || to == database ? all.Find(null, key.ToTable)
            : all.Tables.FirstOrDefault(
                table => table.Database == to && table.Name.Equals(key.ToTable, StringComparison.OrdinalIgnoreCase));
        return key with
        {
            ToDatabase = parent is not null ? parent.Database ?? database : to.Length == 0 ? database : to,
            ToTable = parent?.Name ?? key.ToTable,
            ToColumns = key.ToColumns.Count > 0 ? key.ToColumns : [.. (parent?.Primary ?? []).Select(part => part.Column).OfType<string>()],
        };
    }
}
