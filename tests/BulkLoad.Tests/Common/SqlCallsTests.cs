namespace BulkLoad.Tests.Common;

/// <summary>What may be a stored function.</summary>
public sealed class SqlCallsTests
{
    [Theory]
    [InlineData("rdo()", "rdo")]
    [InlineData("n + Rdo ( 1 )", "Rdo")]
    [InlineData("shop.upper(name)", "shop.upper")]
    [InlineData("`upper`(name)", "`upper`")]
    [InlineData("upper (name)", "upper")]
    [InlineData("UPPER(IF(n>1, f(n), 2))", "f")]
    [InlineData("BEGIN CALL note_down; END", "CALL")]
    [InlineData("INSERT INTO log (id) VALUES (NEW.id), (f(NEW.id))", "f")]
    public void A_name_that_is_not_the_servers_own_may_be_a_stored_function(string text, string expected) =>
        Assert.Equal(expected, SqlCalls.FindStored(text));

    [Theory]
    [InlineData("1")]
    [InlineData("NOW()")]
    [InlineData("UPPER(CONCAT(a,'f(1)',\"g(2)\", 'it''s h(3)', 'a\\'b(1)'))")]
    [InlineData("n IN (1,2) AND (a OR b) OR EXISTS (SELECT 1 FROM t WHERE (a))")]
    [InlineData("CAST(n AS DECIMAL(10,2))")]
    [InlineData("DEFAULT(n) + default (n) + VALUES(n) + IF(n, 1, 2) + DATABASE() + USER()")]
    [InlineData("ROW(1,2) = ROW (1,2) AND ST_X(POINT(1,2)) > 0 AND MATCH(n) AGAINST ('x')")]
    [InlineData("TRIM(BOTH (' ') FROM n) LIKE CONCAT(DATABASE (),'x') ESCAPE ('|')")]
    [InlineData("(SELECT JSON_ARRAYAGG(DISTINCT (n)) FROM t) IS NULL OR ROW_NUMBER() OVER (ORDER BY n) = 1")]
    [InlineData("BEGIN DECLARE r VARCHAR(20); /* f(1) */ INSERT INTO `log` (id, n) VALUES (NEW.id, UPPER(NEW.n)); -- g(2)\n IF (NEW.n > 1) "
        + "THEN SET @x = 1; END IF; END")]
    public void What_calls_only_the_servers_own_is_known(string text) => Assert.Null(SqlCalls.FindStored(text));
}
