using BulkLoad.Core.Schema;

namespace BulkLoad.Seeding;

/// <summary>Makes of a table's text the rows that the catalogue would give, which are then read by the same rules. Pure.</summary>
internal static class SchemaRows
{
    private static readonly string[] NotTransactional = ["MyISAM", "Aria", "MEMORY", "HEAP", "CSV", "ARCHIVE", "BLACKHOLE", "MERGE",
        "MRG_MyISAM", "FEDERATED", "S3"];

    /// <summary>The table's facts as the catalogue of the whole database would give them.</summary>
    /// <param name="database">of tables whose text names none</param>
    /// <param name="all">has the tables that this one refers to</param>
    public static TableFacts ToFacts(SchemaTable table, string database, SchemaReader all)
    {
        ForeignKey[] references = [.. table.References.Select(key => Complete(key, all, database))];
        return new()
        {
            Database = table.Database ?? database,
            Name = table.Name,
            Engine = table.Engine,
            IsTransactional = !NotTransactional.Contains(table.Engine, StringComparer.OrdinalIgnoreCase),
            Columns = [.. table.Columns.Select(column => CatalogRow.ToColumn(column, table, all.Dialect))],
            InsertTriggers = table.InsertTriggers,
            UniqueKeys =
            [
                .. table.Primary is { } primary ? [new UniqueKey(UniqueKey.Primary, Whole(primary, table))] : Array.Empty<UniqueKey>(),
                .. table.Uniques.OrderBy(key => key.Name, StringComparer.OrdinalIgnoreCase)
                    .Select(key => key with { Parts = Whole(key.Parts, table) }),
            ],
            References = references,
            RefersToItself = references.Any(key => key.IsToItself),
            IsVersioned = table.IsVersioned,
        };
    }

    /// <summary>Drops prefixes that are as long as the column.</summary>
    private static IReadOnlyList<KeyPart> Whole(IReadOnlyList<KeyPart> parts, SchemaTable table) =>
    [
        .. parts.Select(part => part is { Column: { } name, Prefix: { } prefix }
            && table.Columns.ElementAtOrDefault(table.IndexOf(name)) is { Type: "char" or "varchar" or "binary" or "varbinary" } column
            && prefix >= (column.Numbers.Count > 0 ? column.Numbers[0] : 1) ? part with { Prefix = null } : part),
    ];

    /// <summary>The table is supposed to be empty unless its text fills it.</summary>
    public static TableConstraints ToConstraints(SchemaTable table) => new()
    {
        ForeignKeys = table.References,
        HasChecks = table.HasChecks,
        CanLackPartition = table.CanLackPartition,
        HasRows = table.HasRows,
    };

    /// <summary>A foreign key with the table's own spelling of names; where the text names no columns, with those of the primary
    /// key.</summary>
    private static ForeignKey Complete(ForeignKey key, SchemaReader all, string database)
    {
        var to = key.ToDatabase;
        var parent = to.Length == 0 || to == database ? all.Find(null, key.ToTable)
            : all.Tables.FirstOrDefault(
                table => table.Database == to && table.Name.Equals(key.ToTable, StringComparison.OrdinalIgnoreCase));
        return key with
        {
            Database = key.Database.Length == 0 ? database : key.Database,
            ToDatabase = parent is not null ? parent.Database ?? database : to.Length == 0 ? database : to,
            ToTable = parent?.Name ?? key.ToTable,
            ToColumns = key.ToColumns.Count > 0 ? key.ToColumns : [.. (parent?.Primary ?? []).Select(part => part.Column).OfType<string>()],
        };
    }
}
