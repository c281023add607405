using System.Text.Json;
using BulkLoad.Core.Schema;
using BulkLoad.Tests.Values.Cases;

namespace BulkLoad.IntegrationTests.Values;

/// <summary>
/// The table of cases on real columns: the rule made from what the catalogue says takes and refuses the same, and what it took is given
/// back by the server's own client, whichever way it went in.
/// </summary>
public sealed class ValueTests
{
    [Theory]
    [MemberData(nameof(GroupTable.All), MemberType = typeof(GroupTable))]
    public async Task What_a_rule_takes_is_what_the_server_gives_back(string server, int number, string title)
    {
        // Rows of each way have ids of their own, so that all of them are read at once.
        const int Ids = 1_000_000;
        await using var table = await GroupTable.CreateAsync(server, number, title);
        var (ways, cases) = (table.Target.Ways.ToList(), table.Group.Cases);
        for (var way = 0; way < ways.Count; way++)
        {
            await table.Target.SendAsync(ways[way].Strategy, ways[way].Facts, table.Rows);
            await table.Database.RunAsync($"UPDATE t SET id = id + {(way + 1) * Ids} WHERE id < {Ids / 2}", "COMMIT");
        }

        var givenBack = await table.ReadAsync();
        Assert.Equal(table.Rows.RowCount * ways.Count, givenBack.Count);
        for (var way = 0; way < ways.Count; way++)
        {
            var first = (way + 1) * Ids;
            Assert.Equal("NULL", givenBack[first - 1]);
            for (var i = 0; i < cases.Length; i++)
            {
                if (!cases[i].IsRefused)
                {
                    Compare(table.Group, cases[i], givenBack[first + i], ways[way].Way);
                }
            }
        }
    }

    private static void Compare(ValueGroup group, ValueCase value, string givenBack, string way)
    {
        var expected = value.GivenBack ?? value.Expected;
        var isSame = group.Comparing switch
        {
            Comparing.Double =>
                double.Parse(expected, CultureInfo.InvariantCulture).Equals(double.Parse(givenBack, CultureInfo.InvariantCulture)),
            Comparing.Single =>
                float.Parse(expected, CultureInfo.InvariantCulture).Equals((float)double.Parse(givenBack, CultureInfo.InvariantCulture)),
            Comparing.Json => JsonElement.DeepEquals(Json(expected), Json(givenBack)),
            _ => Trim(expected, group.Column) == Trim(givenBack, group.Column),
        };
        Assert.True(isSame, $"{value} came back as {ValueCase.Show(givenBack)} by {way}");
    }

    private static JsonElement Json(string text) => JsonDocument.Parse(text, new JsonDocumentOptions { MaxDepth = 100 }).RootElement;

    /// <summary>A server writes as many digits of a fraction as the column has.</summary>
    private static string Trim(string text, TableColumn column) =>
        column.IsCharacter || column.IsBinary || !text.Contains('.')
        || column.Kind is not (ColumnKind.Decimal or ColumnKind.DateTime or ColumnKind.Timestamp or ColumnKind.Time)
            ? text
            : text.TrimEnd('0').TrimEnd('.');
}
