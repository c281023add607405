using System.Text.RegularExpressions;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <param name="Column">as the catalogue will describe it</param>
/// <param name="Given">the user's type; null: that of <paramref name="Column"/></param>
/// <param name="Charset">of text; null: the table's, or the one that was given</param>
internal sealed record NewColumn(TableColumn Column, SchemaColumn? Given = null, string? Charset = null)
{
    /// <summary>Without NULL or NOT NULL, such as <c>CHAR(5) CHARACTER SET ascii</c>.</summary>
    public string Type => Given is null ? $"{Column.TypeText.ToUpperInvariant()}{CharacterSet(Charset)}" : TypeOf(Given);

    public string Definition => $"{SqlName.Quote(Column.Name)} {Type} {(Column.IsNullable ? "NULL" : "NOT NULL")}{DefaultOf(Given)}";

    /// <summary>Normalized, such as <c>CHAR(5) CHARACTER SET ascii NOT NULL</c>.</summary>
    public static string Describe(SchemaColumn given) =>
        $"{TypeOf(given)}{(given.SaysNull ? given.IsNullable ? " NULL" : " NOT NULL" : "")}{DefaultOf(given)}";

    private static string TypeOf(SchemaColumn given) =>
        $"{CatalogRow.StatementType(given)}{CharacterSet(given.Charset)}{(given.Collation is null ? "" : $" COLLATE {given.Collation}")}";

    private static string CharacterSet(string? name) => name is null ? "" : $" CHARACTER SET {name}";

    /// <summary>A number stays a number: a BIT takes the bytes of a text.</summary>
    private static string DefaultOf(SchemaColumn? given) => given?.Default is not { } text ? ""
        : $" DEFAULT {(given.Type is "bit" && text.All(char.IsAsciiDigit) ? text : SqlLiteral.Quote(text))}";
}

/// <summary>CREATE TABLE (MySQL manual, "CREATE TABLE Statement"), and how a new table is dropped. Each statement commits what is
/// open.</summary>
internal static class CreateTableSql
{
    /// <param name="primaryKey">names of columns; empty: no key</param>
    public static string Create(string database, string table, IReadOnlyList<NewColumn> columns, IReadOnlyList<string> primaryKey)
    {
        var lines = columns
            .Select(column => column.Definition)
            .Concat(primaryKey.Count == 0 ? [] : [$"PRIMARY KEY ({SqlName.List(primaryKey)})"]);
        return $"CREATE TABLE {SqlName.Quote(database, table)} "
            + $"(\n{string.Join(",\n", lines.Select(line => $"  {line}"))}\n) DEFAULT CHARSET=utf8mb4";
    }

    public static string Drop(string database, string table) => $"DROP TABLE {SqlName.Quote(database, table)}";

    /// <summary>Limits the wait for another session's work on the table.</summary>
    public const string WaitBriefly = "SET SESSION lock_wait_timeout=3";
}

/// <summary>How columns are added to a table and dropped again (MySQL manual, "ALTER TABLE Statement"). Each statement commits what is
/// open.</summary>
internal static class AddColumnsSql
{
    public static readonly string WaitByDefault = $"SET SESSION lock_wait_timeout={SessionSql.LockWaitSeconds}";

    public const string Unlock = "UNLOCK TABLES";

    public static string Add(string database, string table, IEnumerable<NewColumn> columns) =>
        Alter(database, table, columns.Select(column => $"ADD COLUMN {column.Definition}"));

    public static string Drop(string database, string table, IEnumerable<string> columns) =>
        Alter(database, table, columns.Select(column => $"DROP COLUMN {SqlName.Quote(column)}"));

    /// <summary>Keeps other sessions from the table until <see cref="Unlock"/>.</summary>
    public static string Lock(string database, string table) => $"LOCK TABLES {SqlName.Quote(database, table)} WRITE";

    /// <summary>One row if a row of the table has another value than a new column's own; else none.</summary>
    /// <param name="defaulted">those of the columns that have a default</param>
    public static string AnyValue(string database, string table, IEnumerable<string> columns, IReadOnlyCollection<string> defaulted)
    {
        var filled = columns.Select(column => (Name: SqlName.Quote(column), HasDefault: defaulted.Contains(column)))
            .Select(column => column.HasDefault ? $"NOT ({column.Name} <=> DEFAULT({column.Name}))" : $"{column.Name} IS NOT NULL");
        return $"SELECT 1 FROM {SqlName.Quote(database, table)} WHERE {string.Join(" OR ", filled)} LIMIT 1";
    }

    /// <summary>One row: the collation of columns that name none.</summary>
    public static string TableCollation(string database, string table) =>
        $"SELECT TABLE_COLLATION FROM information_schema.TABLES WHERE {CatalogSql.Is(database, table)}";

    private static string Alter(string database, string table, IEnumerable<string> changes) =>
        $"ALTER TABLE {SqlName.Quote(database, table)} {string.Join(", ", changes)}";
}

/// <summary>Splits the text of SHOW CREATE TABLE without changing it: its index definitions can be given to the server again. Names are in
/// backticks (<see cref="IndexSql.QuoteNames"/>), texts in quotes with backslashes.</summary>
internal static partial class TableText
{
    private const string KeyWord = "KEY ";

    /// <summary>In the text's order.</summary>
    public static IReadOnlyList<IndexDefinition> Indexes(string text) => [.. Split(text).Items.Select(Read).OfType<IndexDefinition>()];

    public static string NameOf(string definition) => Read(definition)?.Name ?? "";

    /// <summary>Whether a text is the definition of one ordinary index of columns and nothing else, as SHOW CREATE TABLE writes it:
    /// somebody else may have written it.</summary>
    public static bool IsIndex(string definition) => OrdinaryIndex().IsMatch(definition);

    [GeneratedRegex(
        @"^KEY `([^`]|``)+` (USING [A-Z]+ )?\(`([^`]|``)+`(\(\d+\))?( ASC| DESC)?(, ?`([^`]|``)+`(\(\d+\))?( ASC| DESC)?)*\)"
        + @"( (USING [A-Z]+|KEY_BLOCK_SIZE=\d+|(NOT )?IGNORED|COMMENT '([^'\\]|''|\\.)*'"
        + @"|/\*!\d+ ?(INVISIBLE|VISIBLE|(SECONDARY_)?ENGINE_ATTRIBUTE '([^'\\*]|''|\\.)*') ?\*/))*\z",
        RegexOptions.CultureInvariant | RegexOptions.Singleline)]
    private static partial Regex OrdinaryIndex();

    /// <summary>Columns, keys and constraints in their order; and what is behind them, from the bracket on.</summary>
    public static (IReadOnlyList<string> Items, string Options) Parts(string text) => Split(text);

    /// <summary>A statement that makes a temporary table of the same columns, defaults, CHECKs and indexes, without what a temporary table
    /// cannot have: FULLTEXT, SPATIAL and VECTOR indexes, foreign keys, partitions.</summary>
    public static string Temporary(string name, string text)
    {
        var (items, options) = Split(text);

        // The comment is the user's text.
        options = options.Split(" COMMENT=")[0];
        var kept = items.Where(item => !NotTemporary().IsMatch(item)).Select(item => CheckName().Replace(item, _ => "CHECK"));
        return $"CREATE TEMPORARY TABLE {name} ({string.Join(", ", kept)}) "
            + $"{string.Join(' ', KeptOptions().Matches(options).Select(option => option.Value))}";
    }

    [GeneratedRegex(
        "^(FULLTEXT|SPATIAL|VECTOR) (KEY|INDEX) |^CONSTRAINT `([^`]|``)+` FOREIGN KEY |^PERIOD FOR ", RegexOptions.CultureInvariant)]
    private static partial Regex NotTemporary();

    /// <summary>Two tables of a database cannot have a CHECK of the same name.</summary>
    [GeneratedRegex("^CONSTRAINT `([^`]|``)+` CHECK", RegexOptions.CultureInvariant)]
    private static partial Regex CheckName();

    [GeneratedRegex(@"(?<=^|\s)(ENGINE|DEFAULT CHARSET|COLLATE)=\w+", RegexOptions.CultureInvariant)]
    private static partial Regex KeptOptions();

    /// <summary>The text between the table's outer brackets, comma by comma, and the text behind them.</summary>
    private static (IReadOnlyList<string> Items, string Options) Split(string text)
    {
        List<string> items = [];
        var (depth, start, isComment) = (0, 0, false);
        for (var i = 0; i < text.Length; i++)
        {
            switch (text[i])
            {
                case '`' or '\'' or '"':
                    i = EndOfQuoted(text, i) - 1;
                    break;
                case '/' when text.AsSpan(i).StartsWith("/*"):
                    isComment = true;
                    break;
                case '*' when text.AsSpan(i).StartsWith("*/"):
                    isComment = false;
                    break;
                case '(':
                    start = depth == 0 ? i + 1 : start;
                    depth++;
                    break;
                case ')' when --depth == 0:
                    items.Add(text[start..i].Trim());
                    return (items, text[(i + 1)..]);
                case ',' when depth == 1 && !isComment:
                    items.Add(text[start..i].Trim());
                    start = i + 1;
                    break;
            }
        }

        return (items, "");
    }

    /// <summary>Null: it is a column, the primary key or a constraint.</summary>
    private static IndexDefinition? Read(string item)
    {
        var quote = item.IndexOf('`', StringComparison.Ordinal);
        var words = quote < 0 ? "" : item[..quote];
        if (!words.EndsWith(KeyWord, StringComparison.Ordinal))
        {
            return null;
        }

        var name = item[(quote + 1)..(EndOfQuoted(item, quote) - 1)].Replace("``", "`", StringComparison.Ordinal);
        return new IndexDefinition(name, words[..^KeyWord.Length].Trim(), item);
    }

    private static int EndOfQuoted(string text, int start)
    {
        var quote = text[start];
        for (var i = start + 1; i < text.Length; i++)
        {
            if (text[i] == '\\' && quote != '`')
            {
                i++;
            }
            else if (text[i] == quote)
            {
                if (i + 1 == text.Length || text[i + 1] != quote)
                {
                    return i + 1;
                }

                i++;
            }
        }

        return text.Length;
    }
}
