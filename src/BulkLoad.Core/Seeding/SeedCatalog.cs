using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Seeding;

/// <summary>The base tables of a database, and what refers to them.</summary>
/// <param name="Tables">without those of bulkload itself</param>
/// <param name="Outside">foreign keys of other databases' tables to these</param>
internal sealed record SeedCatalog(IReadOnlyList<SeedTable> Tables, IReadOnlyList<(string Database, SeedReference Reference)> Outside)
{
    public static async Task<SeedCatalog> ReadAsync(IServerSession session, string database, CancellationToken cancellationToken)
    {
        var answers = await session.QueryAllAsync(
            [SeedSql.Tables(database), SeedSql.Columns(database), SeedSql.UniqueIndexes(database), SeedSql.References(database),
                SeedSql.TablesWithTriggers(database)],
            cancellationToken);
        var columns = answers[1].Rows.ToLookup(row => row[0]!, row => new SeedColumn(
            row[1]!, ColumnReader.KindOf(row[2]!, row[3]!), row[4] == "YES",
            row[6] == "1" || row[5]!.Contains("VIRTUAL", StringComparison.OrdinalIgnoreCase)
                || row[5]!.Contains("STORED GENERATED", StringComparison.OrdinalIgnoreCase)));
        var indexes = answers[2].Rows.ToLookup(row => row[0]!);
        var references = SeedReference.Read(answers[3].Rows);
        var triggers = answers[4].Rows.Select(row => row[0]!).ToHashSet(StringComparer.Ordinal);
        return new SeedCatalog(
            [.. answers[0].Rows.Where(row => !SeedSql.IsOwn(row[0]!)).Select(row => new SeedTable(database, row[0]!)
            {
                Engine = row[1],
                Created = row[2],
                NextNumber = row[3] is { } next ? ulong.Parse(next) : null,
                NumberColumn = answers[1].Rows.FirstOrDefault(
                    column => column[0] == row[0] && column[5]!.Contains("auto_increment", StringComparison.OrdinalIgnoreCase))?[1],
                Columns = [.. columns[row[0]!]],
                Key = [.. indexes[row[0]!].Where(index => index[1] == "PRIMARY").Select(index => index[2]!)],
                UniqueKeys = [.. indexes[row[0]!].Where(index => index[1] != "PRIMARY" && index[2] is not null).GroupBy(index => index[1]!)
                    .Select(index => (IReadOnlyList<string>)[.. index.Select(one => one[2]!)])],
                References = [.. references.Where(one => one.Database == database && one.Reference.Table == row[0])
                    .Select(one => one.Reference)],
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
