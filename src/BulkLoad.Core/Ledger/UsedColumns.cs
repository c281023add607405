using System.Security.Cryptography;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Ledger;

/// <summary>
/// The columns that a job uses, in one word: whether they are the ones by which the values of an earlier start were judged. It is the same on every
/// server of a cluster, as the time at which a table was made is not.
/// </summary>
internal static class UsedColumns
{
    public static string Digest(LoadFacts facts)
    {
        var assigned = facts.Assignments.Select(assignment => facts.Table.Find(assignment.Column)).OfType<TableColumn>();
        var words = facts.Columns.Concat(assigned).DistinctBy(column => column.Name).OrderBy(column => column.Name, StringComparer.Ordinal).Select(column => $"{column.Name}\0{column.TypeText}\0{column.Charset}\0{column.Collation}\0{column.IsNullable}\0{column.Default}\0{column.DefaultText}\0{column.Srid}");
        return Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(string.Join('\n', words))))[..32];
    }
}
