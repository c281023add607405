using System.Buffers;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Sql;

public sealed class SqlTests
{
    [Theory]
    [InlineData("name", "`name`")]
    [InlineData("a`b", "`a``b`")]
    [InlineData("``", "``````")]
    [InlineData("a b", "`a b`")]
    [InlineData("select", "`select`")]
    [InlineData("a\nb", "`a\nb`")]
    [InlineData("*/ drop table x; --", "`*/ drop table x; --`")]
    [InlineData("a\\", "`a\\`")]
    [InlineData("a.b", "`a.b`")]
    [InlineData("Grüße", "`Grüße`")]
    public void A_name_is_quoted_whatever_is_in_it(string name, string expected) => Assert.Equal(expected, SqlName.Quote(name));

    [Theory]
    [InlineData("")]
    [InlineData("a\0b")]
    public void A_name_that_no_server_takes_is_refused(string name) => Assert.Throws<RequestException>(() => SqlName.Quote(name));

    [Fact]
    public void A_qualified_name_is_quoted_part_by_part() => Assert.Equal("`my.db`.`t``x`", SqlName.Quote("my.db", "t`x"));

    [Theory]
    [InlineData("", "''")]
    [InlineData("plain", "'plain'")]
    [InlineData("it's", @"'it\'s'")]
    [InlineData("\"", @"'\""'")]
    [InlineData("\\", @"'\\'")]
    [InlineData("\0\n\r\u001a", @"'\0\n\r\Z'")]
    [InlineData("\t\b%_", "'\t\b%_'")]
    [InlineData("😀'", @"'😀\''")]
    [InlineData("'; DROP TABLE x; -- ", @"'\'; DROP TABLE x; -- '")]
    public void A_literal_escapes_every_special_byte(string text, string expected) => Assert.Equal(expected, SqlLiteral.Quote(text));

    [Fact]
    public void A_literal_never_ends_early_and_is_read_back_as_it_was()
    {
        var random = new Random(20_261_121);
        for (var i = 0; i < 20_000; i++)
        {
            var text = new byte[random.Next(12)];
            for (var j = 0; j < text.Length; j++)
            {
                text[j] = random.Next(2) == 0 ? "\0\n\r\\'\"\u001aZn0"u8[random.Next(10)] : (byte)random.Next(256);
            }

            var literal = new ArrayBufferWriter<byte>();
            SqlLiteral.Write(literal, text);
            Assert.Equal(text, Parse(literal.WrittenSpan));
        }
    }

    /// <summary>Reads a literal as the server does, and fails where it does not end with the last byte.</summary>
    private static byte[] Parse(ReadOnlySpan<byte> literal)
    {
        Assert.Equal((byte)'\'', literal[0]);
        var value = new List<byte>();
        var i = 1;
        for (; literal[i] != '\''; i++)
        {
            value.Add(literal[i] != '\\' ? literal[i] : Unescape(literal[++i]));
        }

        Assert.Equal(literal.Length - 1, i);
        return [.. value];
    }

    private static byte Unescape(byte escaped) => escaped switch
    {
        (byte)'0' => 0,
        (byte)'n' => (byte)'\n',
        (byte)'r' => (byte)'\r',
        (byte)'t' => (byte)'\t',
        (byte)'b' => (byte)'\b',
        (byte)'Z' => 0x1a,
        _ => escaped,
    };

    [Fact]
    public void An_insert_has_a_placeholder_for_each_value()
    {
        var head = InsertSql.Head("shop", "people", ["id", "na`me"]);
        Assert.Equal("INSERT INTO `shop`.`people` (`id`,`na``me`) VALUES ", head);
        Assert.Equal(head + "(?,?)", InsertSql.Prepared(head, [Columns.Integer(), Columns.Varchar()], SetText.None, 1));
        Assert.Equal(head + "(?,?),(?,?),(?,?)", InsertSql.Prepared(head, [Columns.Integer(), Columns.Varchar()], SetText.None, 3));
        Assert.Equal(head + "(?),(?)", InsertSql.Prepared(head, [Columns.Blob()], SetText.None, 2));
        Assert.Equal(
            head + "(?,ST_GeomFromText(?,4326))", InsertSql.Prepared(head, [Columns.Bit(), Columns.Geometry(4326)], SetText.None, 1));
    }

    [Fact]
    public void Load_data_says_how_the_lines_are_written() => Assert.Equal(
        @"LOAD DATA LOCAL INFILE 'it\'s' INTO TABLE `a``b`.`t` CHARACTER SET utf8mb4 FIELDS TERMINATED BY 0x1F ENCLOSED BY '' "
            + @"ESCAPED BY 0x1B LINES STARTING BY '' TERMINATED BY 0x1E (`x`,`y`)",
        LoadDataSql.Local("it's", Columns.Table() with { Database = "a`b", Name = "t" }, [Columns.Varchar("x"), Columns.Integer("y")], []));

    [Fact]
    public void Load_data_takes_what_is_not_text_through_variables() => Assert.EndsWith(
        "(@v1,`x`,@v3,@v4) SET `a`=CAST(@v1 AS UNSIGNED),`b``c`=UNHEX(@v3),`g`=ST_GeomFromText(@v4,4326),`n`=(LENGTH(`b``c`))",
        LoadDataSql.Local(
            "f", Columns.Table(), [Columns.Bit(8, "a"), Columns.Varchar("x"), Columns.Blob(9, "b`c"), Columns.Geometry(4326)],
            [new ColumnAssignment("n", "LENGTH(`b``c`)")]),
        StringComparison.Ordinal);

    [Fact]
    public void An_explicit_zero_for_an_id_beside_a_variable_or_under_a_trigger_became_the_next_id_on_mariadb()
    {
        var id = Columns.Integer("id") with { Default = ColumnDefault.AutoIncrement };
        Assert.EndsWith("(@v1,@v2) SET `id`=@v1,`b`=UNHEX(@v2)", LoadDataSql.Local("f", Columns.Table(), [id, Columns.Blob(9, "b")], []),
            StringComparison.Ordinal);
        Assert.EndsWith("(@v1) SET `id`=@v1,`n`=(NOW())",
            LoadDataSql.Local("f", Columns.Table(), [id], [new ColumnAssignment("n", "NOW()")]), StringComparison.Ordinal);
        var triggered = Columns.Table() with { InsertTriggers = ["t (BEFORE INSERT)"] };
        Assert.EndsWith(
            "(@v1,`x`) SET `id`=@v1", LoadDataSql.Local("f", triggered, [id, Columns.Varchar("x")], []), StringComparison.Ordinal);
        Assert.EndsWith(
            "(`id`,`x`)", LoadDataSql.Local("f", Columns.Table(), [id, Columns.Varchar("x")], []).TrimEnd(), StringComparison.Ordinal);
    }

    [Fact]
    public void Catalogue_questions_quote_the_names_they_ask_for()
    {
        foreach (var statement in new[]
        {
            CatalogSql.Table("d'b", "t'x"), CatalogSql.Columns("d'b", "t'x"), CatalogSql.Triggers("d'b", "t'x"),
            CatalogSql.UniqueKeys("d'b", "t'x"), CatalogSql.Referencing("d'b", "t'x")
        })
        {
            Assert.Contains(@"= 'd\'b' AND ", statement, StringComparison.Ordinal);
            Assert.Contains(@"= 't\'x'", statement, StringComparison.Ordinal);
        }

        Assert.Contains(@"= 'd\'b' ", CatalogSql.TableNames("d'b"), StringComparison.Ordinal);
    }

    [Fact]
    public void The_session_profile_is_the_same_on_both_servers_but_for_mariadbs_own_settings()
    {
        var mariaDb = SessionSql.Profile(isMariaDb: true, takesZeroDates: false, timeZone: null);
        var mySql = SessionSql.Profile(isMariaDb: false, takesZeroDates: false, timeZone: null);
        Assert.Equal(mySql[0], mariaDb[0]);
        Assert.Equal(mySql[1] + ", check_constraint_checks=1, max_statement_time=0 /*M!100300 , idle_transaction_timeout=0, "
            + "idle_readonly_transaction_timeout=0, idle_write_transaction_timeout=0 */", mariaDb[1]);
        Assert.Equal("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", SessionSql.Isolation(logsStatements: false));
        Assert.Equal("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", SessionSql.Isolation(logsStatements: true));
    }

    private static readonly string[] Good =
    [
        "STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,"
            + "NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION",
        "0", "1", "1", "1", "utf8mb4", "utf8mb4", "+02:00",
    ];

    [Fact]
    public void A_session_is_set_to_a_time_zone_and_to_zero_dates_where_that_is_asked_for()
    {
        var profile = SessionSql.Profile(isMariaDb: false, takesZeroDates: true, timeZone: "-05:30")[1];
        Assert.DoesNotContain("NO_ZERO", profile, StringComparison.Ordinal);
        Assert.EndsWith(", time_zone='-05:30'", profile, StringComparison.Ordinal);
        Assert.Empty(SessionSql.Differences(Good, takesZeroDates: false, timeZone: "+02:00"));
        Assert.Equal(["time_zone is +02:00, not -05:30"], SessionSql.Differences(Good, takesZeroDates: false, timeZone: "-05:30"));
        Assert.Equal(["sql_mode has NO_ZERO_DATE", "sql_mode has NO_ZERO_IN_DATE"],
            SessionSql.Differences(Good, takesZeroDates: true, timeZone: null).Order());
    }

    [Fact]
    public void Expressions_stand_in_parentheses_behind_a_rows_own_values()
    {
        ColumnAssignment[] assignments = [new("ma`de", "NOW()"), new("x", "'a' + 1")];
        Assert.True(InsertSql.Tail([], []).IsEmpty);
        Assert.Equal("INSERT (?,?,(NOW()),('a' + 1)),(?,?,(NOW()),('a' + 1))",
            InsertSql.Prepared("INSERT ", [Columns.Varchar("a"), Columns.Varchar("b")], InsertSql.Tail(assignments, []), 2));
        Assert.EndsWith(
            @"TERMINATED BY 0x1E (`a`,`b`) SET `ma``de`=(NOW()),`x`=('a' + 1)",
            LoadDataSql.Local("f", Columns.Table(), [Columns.Varchar("a"), Columns.Varchar("b")], assignments), StringComparison.Ordinal);
    }

    [Fact]
    public void A_session_that_kept_its_settings_differs_in_nothing() =>
        Assert.Empty(SessionSql.Differences(Good, takesZeroDates: false, timeZone: null));

    [Theory]
    [InlineData(0, "", "sql_mode lacks STRICT_ALL_TABLES")]
    [InlineData(0, null, "sql_mode lacks NO_AUTO_VALUE_ON_ZERO")]
    [InlineData(0, "NO_BACKSLASH_ESCAPES", "sql_mode has NO_BACKSLASH_ESCAPES")]
    [InlineData(0, "ansi_quotes", "sql_mode has ansi_quotes")]
    [InlineData(0, "EMPTY_STRING_IS_NULL", "sql_mode has EMPTY_STRING_IS_NULL")]
    [InlineData(1, "1", "autocommit is 1, not 0")]
    [InlineData(2, "0", "unique_checks is 0, not 1")]
    [InlineData(3, "0", "foreign_key_checks is 0, not 1")]
    [InlineData(4, "0", "sql_notes is 0, not 1")]
    [InlineData(5, "latin1", "character_set_client is latin1, not utf8mb4")]
    [InlineData(6, null, "character_set_connection is , not utf8mb4")]
    public void A_setting_that_was_not_kept_is_told(int column, string? value, string expected)
    {
        var row = Good.ToArray<string?>();
        row[column] = value is null or "" || column > 0 ? value : $"{row[0]},{value}";
        Assert.Contains(expected, SessionSql.Differences(row, takesZeroDates: false, timeZone: null));
    }
}
