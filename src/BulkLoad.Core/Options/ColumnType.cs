using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Options;

/// <summary>A column of <c>--type</c>: the type that a new column gets, in place of the inferred one.</summary>
/// <param name="Column">in any case</param>
/// <param name="Type">as in CREATE TABLE behind a column's name, such as <c>DECIMAL(12,4) NOT NULL</c></param>
internal sealed record ColumnType(string Column, string Type)
{
    private const string Option = "--type";

    /// <summary>Only known words go into a statement, never the text itself.</summary>
    internal SchemaColumn Read()
    {
        foreach (var token in SqlTokens.Of(Type))
        {
            var isComment = token.Kind == SqlTokenKind.Comment || Type.AsSpan(token.Start).StartsWith("/*");
            if (isComment || token.Kind == SqlTokenKind.Unclosed || Type[token.Start] == ';')
            {
                var what = isComment ? "a comment"
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
                $"{Option} {Column}: '{Type}': {cursor.Shown} is no part of a type: --type gives one column one type, and is repeated for "
                    + "others");
        }

        RequestException.ThrowIf(
            column.IsDefaultExpression,
            $"{Option} {Column}: DEFAULT {column.Default} is not a value: write a number, a text in quotes or NULL");

        if (FindOddName(column) is { } odd)
        {
            throw new RequestException($"{Option} {Column}: '{odd}' is no name of a character set or collation");
        }

        return column;
    }

    internal static void Check(LoadRequest request)
    {
        if (request.AddColumns && (request.Create || request.Source.IgnoreUnknown))
        {
            throw new RequestException(request.Create
                ? "--add-columns with --create: a new table gets a column for every field: leave out --add-columns"
                : "--add-columns with --ignore-unknown: fields without a column are either added or left out: leave one out");
        }

        if (request.AddColumns && request.Mode == JobMode.Preview)
        {
            throw new RequestException(
                "--preview with --add-columns: a preview changes no table; --plan shows the columns that would be added: leave one out");
        }

        RequestException.ThrowIf(
            request.ColumnTypes.Count > 0 && !request.Create && !request.AddColumns,
            "--type gives a new column its type: add --create for a new table, or --add-columns for new columns of one that is there");

        foreach (var type in request.ColumnTypes)
        {
            var column = type.Read();
            if (request.AddColumns && column is { SaysNull: true, IsNullable: false, Default: null })
            {
                throw new RequestException(
                    $"--type {type.Column}: NOT NULL without a DEFAULT: the rows that are there have no value for a column that is added: "
                    + "add DEFAULT, or leave out NOT NULL");
            }
        }

        LoadRequest.CheckDistinct("--type", request.ColumnTypes.Select(type => type.Column));
    }

    private static string? FindOddName(SchemaColumn column) => new[] { column.Charset, column.Collation }
        .FirstOrDefault(
            name => name is not null && (name.Length == 0 || name.Any(letter => !char.IsAsciiLetterOrDigit(letter) && letter != '_')));
}
