namespace BulkLoad.Tests.Common;

public sealed class SqlExpressionTests
{
    [Theory]
    [InlineData("NOW()")]
    [InlineData("1")]
    [InlineData("-1 - -2")]
    [InlineData("CONCAT(a, ')', \"(\", `b,(`)")]
    [InlineData("'it''s; -- /* # ? , \\' \" ('")]
    [InlineData("\"a\"\"b\\\"\"")]
    [InlineData("`a``b\\`")]
    [InlineData("(SELECT MAX(x) FROM other WHERE a IN (1, 2))")]
    [InlineData("10 / 2 * 3")]
    [InlineData("''")]
    public void One_expression_is_taken_as_it_stands(string text) => Assert.Null(SqlExpression.FindFault(text));

    [Theory]
    [InlineData("", "is no expression")]
    [InlineData(" \t", "is no expression")]
    [InlineData("1), (2", "has a ) that closes nothing")]
    [InlineData("NOW(", "has a ( that is never closed")]
    [InlineData("NOW())", "has a ) that closes nothing")]
    [InlineData("'a", "has a ' that is never closed")]
    [InlineData("'a\\'", "has a ' that is never closed")]
    [InlineData("'a''", "has a ' that is never closed")]
    [InlineData("\"a'", "has a \" that is never closed")]
    [InlineData("`a\\", "has a ` that is never closed")]
    [InlineData("1, b = 2", "has a comma outside parentheses: give one --set for each column")]
    [InlineData("1; DROP TABLE t", "has a semicolon outside quotes")]
    [InlineData("(1;2)", "has a semicolon outside quotes")]
    [InlineData("1 -- x", "has a comment in it")]
    [InlineData("1--2", "has a comment in it")]
    [InlineData("1 # x", "has a comment in it")]
    [InlineData("1 /* x */", "has a comment in it")]
    [InlineData("1 /*! + 1 */", "has a comment in it")]
    [InlineData("? + 1", "has a question mark outside quotes, which means a parameter")]
    [InlineData("1\0", "has a NUL character")]
    public void What_could_end_the_parentheses_around_it_is_refused(string text, string expected) =>
        Assert.Equal(expected, SqlExpression.FindFault(text));
}
