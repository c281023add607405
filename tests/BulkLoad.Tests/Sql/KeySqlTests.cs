using System.Buffers;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Sql;

public sealed class KeySqlTests
{
    private static readonly TableColumn Id = Columns.Integer("id");
    private static readonly TableColumn Name = Columns.Varchar("na`me", charset: "latin1");

    private static string Delete(KeySql sql, params string[][] keys) => Write(sql.WriteDelete, keys);

    private static string Look(KeySql sql, params string[][] keys) => Write(sql.WriteLook, keys);

    private static string Write(Action<int, KeyValue, IBufferWriter<byte>> write, string[][] keys)
    {
        var text = new ArrayBufferWriter<byte>();
        var bytes = keys.Select(key => key.Select(Encoding.UTF8.GetBytes).ToArray()).ToArray();
        write(keys.Length, (key, column) => bytes[key][column], text);
        return Encoding.UTF8.GetString(text.WrittenSpan);
    }

    private static KeySql Sql(TableColumn[] columns, TableColumn[]? leading = null, string? where = null)
    {
        columns = [.. columns.Select(column => column.IsCharacter ? column with { Collation = "latin1_swedish_ci" } : column)];
        return new(Columns.Table(columns), columns,
            leading is null ? columns : [.. leading.Select(other => columns.First(column => column.Name == other.Name))], where);
    }

    [Fact]
    public void Numbers_stand_as_numbers() => Assert.Equal(
        "DELETE FROM `shop`.`people` WHERE `shop`.`people`.`id` IN (1,-2,3)", Delete(Sql([Id]), ["1"], ["-2"], ["3"]));

    [Fact]
    public void MariaDB_can_be_told_to_look_in_the_index()
    {
        var sql = new KeySql(Columns.Table(Id), [Id], [Id], "id>0", "/* bulkload job x */", asksForIndex: true);
        Assert.Equal("SET STATEMENT sql_safe_updates=1 FOR DELETE /* bulkload job x */ FROM `shop`.`people` WHERE `shop`.`people`.`id` IN "
            + "(1,2) AND (id>0)", Delete(sql, ["1"], ["2"]));
        Assert.StartsWith("DELETE /*", Delete(sql, ["1"]), StringComparison.Ordinal);
        Assert.StartsWith("DELETE /*", sql.PreparedDelete(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true, true, true)]
    [InlineData(true, false, false)]
    [InlineData(false, true, false)]
    public void It_is_where_a_list_finds_a_row_a_key(bool isMariaDb, bool isUnique, bool isTold)
    {
        var facts = TestKeys.Facts(
            isMariaDb ? TestFacts.MariaDb : TestFacts.MySql, key: TestKeys.Of([Id.Required()], TestKeys.Index("ids", isUnique, "id")));
        Assert.Equal(isTold, KeySql.Of(facts).SampleDelete().StartsWith("SET STATEMENT sql_safe_updates=1 FOR ", StringComparison.Ordinal));
    }

    [Fact]
    public void Text_stands_in_quotes_even_where_it_looks_like_a_number() => Assert.Equal(
        @"DELETE FROM `shop`.`people` WHERE `shop`.`people`.`na``me` IN ('0123','it\'s','\\')",
        Delete(Sql([Name]), ["0123"], ["it's"], ["\\"]));

    [Fact]
    public void Bytes_stand_as_hexadecimal_digits_and_bits_as_their_number()
    {
        Assert.EndsWith("IN (x'6127')", Delete(Sql([Columns.Blob()]), ["a'"]), StringComparison.Ordinal);
        Assert.EndsWith("IN (5)", Delete(Sql([Columns.Bit()]), ["5"]), StringComparison.Ordinal);
        Assert.EndsWith("IN (1.50)", Delete(Sql([Columns.Decimal(5, 2)]), ["1.50"]), StringComparison.Ordinal);
        Assert.EndsWith("IN ('2026-01-02')", Delete(Sql([Columns.Date()]), ["2026-01-02"]), StringComparison.Ordinal);
    }

    [Fact]
    public void Several_columns_are_rows_in_the_order_of_the_index() => Assert.Equal(
        "DELETE FROM `shop`.`people` WHERE (`shop`.`people`.`na``me`,`shop`.`people`.`id`) IN (('a',1),('b',2))",
        Delete(Sql([Id, Name], [Name, Id]), ["1", "a"], ["2", "b"]));

    [Fact]
    public void Columns_that_the_index_does_not_have_are_compared_beside_those_it_has() => Assert.Equal(
        "DELETE FROM `shop`.`people` WHERE `shop`.`people`.`id` IN (1,2) AND (`shop`.`people`.`id`,`shop`.`people`.`na``me`) IN "
            + "((1,'a'),(2,'b'))",
        Delete(Sql([Id, Name], [Id]), ["1", "a"], ["2", "b"]));

    [Fact]
    public void A_row_that_stands_alone_or_has_a_value_that_compares_otherwise_in_a_row_is_a_condition()
    {
        Assert.EndsWith(" WHERE (`shop`.`people`.`id`=1 AND `shop`.`people`.`na``me`='a')", Delete(Sql([Id, Name]), ["1", "a"]),
            StringComparison.Ordinal);
        Assert.EndsWith(
            " WHERE (`shop`.`people`.`id`=1 AND `shop`.`people`.`t`='10:00:00' OR `shop`.`people`.`id`=2 AND "
                + "`shop`.`people`.`t`='-01:00:00') AND (x=1)",
            Delete(Sql([Id, Columns.Time()], where: "x=1"), ["1", "10:00:00"], ["2", "-01:00:00"]), StringComparison.Ordinal);
    }

    [Fact]
    public void A_guard_stands_in_parentheses_of_its_own() => Assert.EndsWith(
        "IN (1) AND (a=1 OR b=2)", Delete(Sql([Id], where: "a=1 OR b=2"), ["1"]), StringComparison.Ordinal);

    [Fact]
    public void Which_keys_have_rows_is_asked_by_their_numbers_and_compared_as_the_column_does() => Assert.Equal(
        "SELECT bulkload_list.bulkload_n,COUNT(*),MIN(CONCAT_WS(',',HEX(CAST(`shop`.`people`.`id` AS "
            + "CHAR)),HEX(`shop`.`people`.`na``me`))) FROM ("
        + "SELECT 0 AS bulkload_n,1 AS bulkload_k0,'a' AS bulkload_k1 UNION ALL SELECT 1,2,'b') bulkload_list STRAIGHT_JOIN "
        + "`shop`.`people` ON "
        + "`shop`.`people`.`id`=bulkload_list.bulkload_k0 AND `shop`.`people`.`na``me`=CONVERT(bulkload_list.bulkload_k1 USING latin1) "
        + "COLLATE latin1_swedish_ci"
        + " WHERE (c=0) GROUP BY bulkload_list.bulkload_n FOR UPDATE",
        Look(Sql([Id, Name], where: "c=0"), ["1", "a"], ["2", "b"]));

    [Fact]
    public void Times_are_compared_as_times()
    {
        Assert.Contains("=CAST(bulkload_list.bulkload_k0 AS DATE) ", Look(Sql([Columns.Date()]), ["2026-01-02"]), StringComparison.Ordinal);
        Assert.Contains("=CAST(bulkload_list.bulkload_k0 AS DATETIME(6)) ", Look(Sql([Columns.Timestamp()]), ["2026-01-02 00:00:00"]),
            StringComparison.Ordinal);
        Assert.Contains(
            "=CAST(bulkload_list.bulkload_k0 AS TIME(6)) ", Look(Sql([Columns.Time()]), ["01:00:00"]), StringComparison.Ordinal);
    }
}
