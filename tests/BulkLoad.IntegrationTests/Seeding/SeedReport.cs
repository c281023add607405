using System.Text.Json;

namespace BulkLoad.IntegrationTests.Seeding;

/// <summary>What a seed's report says of a table.</summary>
internal static class SeedReport
{
    public static JsonElement Table(JsonElement report, string name) =>
        report.GetProperty("tables").EnumerateArray().Single(table => table.GetProperty("table").GetString() == name);

    public static (int Inserted, int Updated, int Unchanged, int Deleted) CountsOf(JsonElement report, string name)
    {
        var table = Table(report, name);
        return (table.GetProperty("inserted").GetInt32(), table.GetProperty("updated").GetInt32(),
            table.GetProperty("unchanged").GetInt32(), table.GetProperty("deleted").GetInt32());
    }
}
