using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Sql;

/// <summary>How a sync changes rows whose unique values other rows may have.</summary>
public sealed class StageSqlTests
{
    /// <summary>A key of an expression and a column lets several rows have the column's value: it is no reason to wait, nor to make
    /// room.</summary>
    [Theory]
    [InlineData("code", "code")]
    [InlineData("code name", "code,name")]
    [InlineData("() code", "")]
    [InlineData("code ()", "")]
    [InlineData("()", "")]
    public void A_key_with_an_expression_is_no_key_of_its_columns(string parts, string columns)
    {
        TableColumn[] all = [Columns.Integer("id").Required(), Columns.Integer("code"), Columns.Varchar("name")];
        var table = Columns.Table(all) with
        {
            UniqueKeys =
            [
                new UniqueKey(UniqueKey.Primary, [new KeyPart("id")]),
                new UniqueKey("u", [.. parts.Split(' ').Select(part => new KeyPart(part == "()" ? null : part))]),
            ],
        };
        Assert.Equal(columns, string.Join(' ', table.OtherKeys.Select(key => string.Join(',', key))));
        var sql = new StageSql(table, ["id", "code", "name"], []);
        Assert.Equal(columns.Length > 0, sql.UpdateFree.Contains("LEFT JOIN", StringComparison.Ordinal));
        Assert.Equal(columns.Length > 0, sql.MakeRoom is not null);
    }
}
