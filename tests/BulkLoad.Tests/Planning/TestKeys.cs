using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Planning;

/// <summary>Facts of a delete: rows found by their id, unless a test says something else.</summary>
internal static class TestKeys
{
    public static TableIndex Primary { get; } = Index("PRIMARY", isUnique: true, "id");

    public static TableIndex Index(string name, bool isUnique, params string[] columns) =>
        new(name, isUnique, [.. columns.Select(column => new KeyPart(column))]);

    public static KeyFacts Of(IReadOnlyList<TableColumn> columns, params TableIndex[] indexes) => new()
    {
        Columns = columns,
        Indexes = indexes,
        Referring = [],
        MaxListKeys = 500_000,
        MaxListKeysBy = "a limit",
        Stage = new StageFacts(null, 16 * 1024 * 1024),
    };

    public static LoadFacts Facts(ServerFacts server, KeyOptions? options = null, KeyFacts? key = null)
    {
        var found = key ?? Of([Columns.Integer("id").Required()], Primary);
        var facts = TestFacts.Of(server, [.. found.Columns]);
        return facts with
        {
            Request = facts.Request with { Kind = JobKind.Delete, Key = options ?? new() },
            Table = Columns.Table(Columns.Integer("id").Required(), Columns.Varchar("name").Required()),
            Key = found,
        };
    }
}
