using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Options;

/// <summary>A column of <c>--type</c>: the type that a new column gets in place of the inferred one.</summary>
/// <param name="Column">the column's name, in any case</param>
/// <param name="Type">as CREATE TABLE has it behind a column's name, such as <c>DECIMAL(12,4) NOT NULL</c></param>
public sealed record ColumnType(string Column, string Type)
{
    /// <summary>What stands before messages.</summary>
    private const string Option = "--type";

    /// <summary>The column that the text describes. Only what is known of it here goes into a statement, never the text itself.</summary>
    /// <exception cref="RequestException">it is not one type that is known here, and nothing else</exception>
    internal SchemaColumn Read()
    {
        foreach (var token in SqlTokens.Of(Type))
        {
            if (token.Kind is SqlTokenKind.Comment or SqlTokenKind.Unclosed || Type[token.Start] == ';')
            {
                var what = token.Kind == SqlTokenKind.Comment ? "a comment"
                    : token.Kind == SqlTokenKind.Unclosed ? "a quote that is not closed" : "a semicolon";
                throw new RequestException($"{Option} {Column}: '{Type}' has {what}: write a type only, such as DECIMAL(12,4)");
            }
        }

        var cursor = new SqlCursor($"{SqlName.Quote(Column)} {Type}", 0, $"{Option} {Column}", SqlDialect.MySql);
        SchemaColumn column;
        try
        {
            column = new ColumnText(cursor, new SchemaTable(null, "", Option), _ => { }) { IsTypeOnly = true }.Read();
        }
        catch (PlanException fault)
        {
            throw new RequestException(fault.Message.Replace($": column '{Column}': ", ": ", StringComparison.Ordinal));
        }

        if (!cursor.IsAtEnd)
        {
            throw new RequestException(
                $"{Option} {Column}: '{Type}': {cursor.Shown} is no part of a type: --type gives one column one type, and is repeated for others");
        }

        if (column.IsDefaultExpression)
        {
            throw new RequestException(
                $"{Option} {Column}: DEFAULT {column.Default} is not a value: write a number, a text in quotes or NULL");
        }

        if (FindOddName(column) is { } odd)
        {
            throw new RequestException($"{Option} {Column}: '{odd}' is no name of a character set or collation");
        }

        return column;
    }

    private static string? FindOddName(SchemaColumn column) => new[] { column.Charset, column.Collation }
        .FirstOrDefault(name => name is not null && (name.Length == 0 || name.Any(letter => !char.IsAsciiLetterOrDigit(letter) && letter != '_')));
}
