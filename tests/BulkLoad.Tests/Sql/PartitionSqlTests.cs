using BulkLoad.Core.Sql;

namespace BulkLoad.Tests.Sql;

/// <summary>Which rows a table's partitions take, from the catalogue.</summary>
public sealed class PartitionSqlTests
{
    [Theory]
    [InlineData("RANGE", "`id`", "20;44", "(`id`) < 44 OR (`id`) IS NULL")]
    [InlineData("RANGE", "to_days(`d`)", "737790", "(to_days(`d`)) < 737790 OR (to_days(`d`)) IS NULL")]
    [InlineData("RANGE", "`id`", "20;MAXVALUE", "")]
    [InlineData("RANGE COLUMNS", "`d`", "'2020-01-01'", "(`d`) < '2020-01-01' OR (`d`) IS NULL")]
    [InlineData("RANGE COLUMNS", "`a`,`b`", "1,MAXVALUE;2,5", null)]
    [InlineData("RANGE COLUMNS", "`a`,`b`", "1,5;MAXVALUE,MAXVALUE", "")]
    [InlineData("LIST", "`id` % 5", "0,1;2,4", "(`id` % 5) IN (0,1,2,4) AND (`id` % 5) IS NOT NULL")]
    [InlineData("LIST", "`id`", "NULL,1;3", "(`id`) IN (1,3) OR (`id`) IS NULL")]
    [InlineData("LIST", "`id`", "NULL", "(`id`) IS NULL")]
    [InlineData("LIST", "`id`", "1;DEFAULT", "")]
    [InlineData("LIST COLUMNS", "`v`", "'a,b','c''NULL',NULL", "(`v`) IN ('a,b','c''NULL') OR (`v`) IS NULL")]
    [InlineData("LIST COLUMNS", "`a`,`b`", "(1,2)", null)]
    [InlineData("HASH", "`id`", ";", "")]
    [InlineData("KEY", "", "", "")]
    public void A_condition_says_which_rows_are_taken(string method, string expression, string values, string? condition) =>
        Assert.Equal(
            condition, PartitionSql.Condition([.. values.Split(';').Select(value => (string?[])[method, expression, value, null])]));

    [Theory]
    [InlineData("RANGE", "`id`", "10", null, "NOT ((`id`) < 10 OR (`id`) IS NULL)")]
    [InlineData("RANGE", "`id`", "20", "10", "((`id`) >= 10 AND (`id`) < 20) IS NOT TRUE")]
    [InlineData("RANGE", "`id`", "MAXVALUE", "20", "((`id`) >= 20) IS NOT TRUE")]
    [InlineData("RANGE", "`id`", "MAXVALUE", null, "FALSE")]
    [InlineData("RANGE COLUMNS", "`d`", "'2026-12-01'", "'2026-11-01'", "((`d`) >= '2026-11-01' AND (`d`) < '2026-12-01') IS NOT TRUE")]
    [InlineData("RANGE COLUMNS", "`a`,`b`", "1,2", null, null)]
    [InlineData("LIST", "`id`", "1,2", null, "((`id`) IN (1,2) AND (`id`) IS NOT NULL) IS NOT TRUE")]
    [InlineData("LIST", "`id`", "DEFAULT", "1,2", null)]
    [InlineData("HASH", "`id`", null, null, null)]
    public void Rows_of_other_partitions_are_found(string method, string expression, string? value, string? before, string? condition) =>
        Assert.Equal(condition, PartitionSql.OthersThan(["p", method, expression, value, before]));

    [Fact]
    public void A_table_without_partitions_takes_every_row() => Assert.Equal("", PartitionSql.Condition([]));
}
