using System.Text.RegularExpressions;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>
/// The text of SHOW CREATE TABLE, taken apart and not changed: what it says of indexes can be said to the server again. Names stand in
/// backticks (<see cref="IndexSql.QuoteNames"/>), texts in quotes with backslashes.
/// </summary>
internal static partial class TableText
{
    private const string KeyWord = "KEY ";

    /// <summary>All indexes but the primary key, in the text's order.</summary>
    public static IReadOnlyList<IndexDefinition> Indexes(string text) => [.. Split(text).Items.Select(Read).OfType<IndexDefinition>()];

    /// <summary>The name in an index's <see cref="IndexDefinition.Text"/>.</summary>
    public static string NameOf(string definition) => Read(definition)?.Name ?? "";

    /// <summary>
    /// Whether a text is the definition of one ordinary index of columns and nothing else, as SHOW CREATE TABLE has it: it may have been
    /// written by somebody else.
    /// </summary>
    public static bool IsIndex(string definition) => OrdinaryIndex().IsMatch(definition);

    [GeneratedRegex(
        @"^KEY `([^`]|``)+` (USING [A-Z]+ )?\(`([^`]|``)+`(\(\d+\))?( ASC| DESC)?(, ?`([^`]|``)+`(\(\d+\))?( ASC| DESC)?)*\)"
        + @"( (USING [A-Z]+|KEY_BLOCK_SIZE=\d+|(NOT )?IGNORED|COMMENT '([^'\\]|''|\\.)*'"
        + @"|/\*!\d+ ?(INVISIBLE|VISIBLE|(SECONDARY_)?ENGINE_ATTRIBUTE '([^'\\*]|''|\\.)*') ?\*/))*\z",
        RegexOptions.CultureInvariant | RegexOptions.Singleline)]
    private static partial Regex OrdinaryIndex();

    /// <summary>
    /// A statement that makes a temporary table of the same columns, defaults, CHECKs and indexes, but for those that a temporary table
    /// cannot have: FULLTEXT, SPATIAL and VECTOR ones, foreign keys, partitions.
    /// </summary>
    /// <param name="name">of the temporary table, quoted</param>
    public static string Temporary(string name, string text)
    {
        var (items, options) = Split(text);

        // Its comment is the user's text.
        options = options.Split(" COMMENT=")[0];
        var kept = items.Where(item => !NotTemporary().IsMatch(item)).Select(item => CheckName().Replace(item, "CHECK"));
        return $"CREATE TEMPORARY TABLE {name} ({string.Join(", ", kept)}) "
            + $"{string.Join(' ', KeptOptions().Matches(options).Select(option => option.Value))}";
    }

    [GeneratedRegex(
        "^(FULLTEXT|SPATIAL|VECTOR) (KEY|INDEX) |^CONSTRAINT `([^`]|``)+` FOREIGN KEY |^PERIOD FOR ", RegexOptions.CultureInvariant)]
    private static partial Regex NotTemporary();

    /// <summary>Two tables of a database cannot have the same.</summary>
    [GeneratedRegex("^CONSTRAINT `([^`]|``)+` CHECK", RegexOptions.CultureInvariant)]
    private static partial Regex CheckName();

    [GeneratedRegex(@"(?<=^|\s)(ENGINE|DEFAULT CHARSET|COLLATE)=\w+", RegexOptions.CultureInvariant)]
    private static partial Regex KeptOptions();

    /// <summary>What stands between the table's outer brackets, comma by comma, and what stands behind them.</summary>
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

    /// <summary>Null: it is none but a column, the primary key or a constraint.</summary>
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

    /// <summary>The place behind the closing quote of what begins there.</summary>
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
