using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Seeding;

/// <summary>The base tables of a database, and what refers to them.</summary>
/// <param name="Tables">without those of bulkload itself</param>
/// <param name="Outside">foreign keys of other databases' tables to these</param>
internal sealed record SeedCatalog(IReadOnlyList<TableFacts> Tables, IReadOnlyList<ForeignKey> Outside)
{
    public static async Task<SeedCatalog> ReadAsync(IServerSession session, string database, CancellationToken cancellationToken)
    {
        var (tables, references) = await TableProbe.LookAtAllAsync(session, database, cancellationToken);
        return new SeedCatalog(
            [.. tables.Where(table => !SeedSql.IsOwn(table.Name))], [.. references.Where(key => key.Database != database)]);
    }

    /// <summary>The table of that name, else one whose name differs only in case.</summary>
    public TableFacts? Find(string name)
    {
        var alike = Tables.Where(table => table.Name.Equals(name, StringComparison.OrdinalIgnoreCase)).ToList();
        return alike.FirstOrDefault(table => table.Name == name) ?? (alike.Count == 1 ? alike[0] : null);
    }
}
