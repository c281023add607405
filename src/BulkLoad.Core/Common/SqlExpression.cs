using System.Text.RegularExpressions;

namespace BulkLoad.Core.Common;

/// <summary>Checks an expression of the user (MySQL manual, "Expressions", "Comments", "String Literals"). It will be in parentheses in a
/// statement: anything that could end those, or change the rest, is refused. The server checks the rest.</summary>
internal static class SqlExpression
{
    /// <summary>Why the text is not one expression, as the end of a sentence.</summary>
    public static string? FindFault(string text)
    {
        if (string.IsNullOrWhiteSpace(text))
        {
            return "is no expression";
        }

        var depth = 0;
        foreach (var (kind, start, _, name) in SqlTokens.Of(text))
        {
            var next = start + 1 < text.Length ? text[start + 1] : '\0';
            switch (text[start])
            {
                case var quote when kind == SqlTokenKind.Unclosed:
                    return $"has a {quote} that is never closed";
                case '@' when kind == SqlTokenKind.Variable && name.Length == 0:
                    return "has an @ without a name";
                case '(':
                    depth++;
                    break;
                case ')' when --depth < 0:
                    return "has a ) that closes nothing";
                case ',' when depth == 0:
                    return "has a comma outside parentheses: give one --set for each column";
                case ';':
                    return "has a semicolon outside quotes";
                case '?':
                    return "has a question mark outside quotes, which means a parameter";
                case '#':
                case '-' when next == '-':
                case '/' when next == '*':
                    return "has a comment in it";
                case '\0':
                    return "has a NUL character";
            }
        }

        return depth > 0 ? "has a ( that is never closed" : null;
    }

    /// <summary>Whether a word is in the text outside of strings, in any case. Names of functions and variables do not count.</summary>
    public static bool Mentions(string text, string word) =>
        SqlTokens.Of(text).Any(token => token.Kind == SqlTokenKind.Unclosed)
        || SqlTokens.NamesIn(text).Contains(word, StringComparer.OrdinalIgnoreCase);
}

/// <summary>The fields of the input in an expression of <c>--set</c>, written <c>@name</c> as in LOAD DATA. Names ignore case.</summary>
internal static class SetFields
{
    public static StringComparer Names => StringComparer.OrdinalIgnoreCase;

    /// <summary>Whether a target of <c>--columns</c> or <c>--map</c> is a field that goes to no column.</summary>
    public static bool IsField(string target) => target.StartsWith('@');

    /// <summary>The fields that an expression reads, without the <c>@</c>, once for each place.</summary>
    public static IEnumerable<string> In(string expression) =>
        SqlTokens.Of(expression).Where(token => token.Kind == SqlTokenKind.Variable).Select(token => token.Name);

    /// <summary>The first variable that an expression assigns a value to, without the <c>@</c>.</summary>
    public static string? FindAssigned(string expression)
    {
        SqlToken before = default;
        foreach (var token in SqlTokens.Of(expression))
        {
            if (before.Kind == SqlTokenKind.Variable && token.Kind == SqlTokenKind.Sign && expression.AsSpan(token.Start).StartsWith(":="))
            {
                return before.Name;
            }

            before = token;
        }

        return null;
    }
}

internal enum SqlTokenKind
{
    Text,

    /// <summary>A quote that is never closed, up to the end.</summary>
    Unclosed,

    /// <summary>With or without backticks; <see cref="SqlToken.Name"/> is without.</summary>
    Name,

    /// <summary>A user variable such as <c>@name</c>; <see cref="SqlToken.Name"/> has neither the sign nor quotes.</summary>
    Variable,

    /// <summary>Such as <c>@@name</c>.</summary>
    SystemVariable,

    Comment,

    Number,

    Sign,
}

/// <summary><paramref name="Name"/> is empty but for names and variables.</summary>
internal readonly record struct SqlToken(SqlTokenKind Kind, int Start, int End, string Name = "");

/// <summary>Splits SQL as both servers do in a session without ANSI_QUOTES and NO_BACKSLASH_ESCAPES (MySQL manual, "Language Structure").
/// White space separates tokens.</summary>
internal static class SqlTokens
{
    public static IEnumerable<SqlToken> Of(string text)
    {
        for (var i = 0; i < text.Length;)
        {
            if (char.IsWhiteSpace(text[i]))
            {
                i++;
                continue;
            }

            var token = Read(text, i);
            yield return token;
            i = token.End;
        }
    }

    /// <summary>Names that are values: key words are among them, functions are not. Each part of a qualified name.</summary>
    public static IEnumerable<string> NamesIn(string text)
    {
        SqlToken? name = null;
        foreach (var token in Of(text))
        {
            if (name is { } waiting && !(token.Kind == SqlTokenKind.Sign && text[token.Start] == '('))
            {
                yield return waiting.Name;
            }

            name = token.Kind == SqlTokenKind.Name ? token : null;
        }

        if (name is { } last)
        {
            yield return last.Name;
        }
    }

    private static SqlToken Read(string text, int at)
    {
        var next = at + 1 < text.Length ? text[at + 1] : '\0';
        switch (text[at])
        {
            case '\'' or '"':
                return Quoted(text, at, at, SqlTokenKind.Text) with { Name = "" };
            case '`':
                return Quoted(text, at, at, SqlTokenKind.Name);
            case '#':
            case '-' when next == '-' && (at + 2 == text.Length || char.IsWhiteSpace(text[at + 2]) || char.IsControl(text[at + 2])):
                return new SqlToken(SqlTokenKind.Comment, at, text.IndexOf('\n', at) is >= 0 and var line ? line + 1 : text.Length);
            case '/' when next == '*':
                return new SqlToken(SqlTokenKind.Comment, at, text.IndexOf("*/", at + 2, StringComparison.Ordinal) is >= 0 and var end
                    ? end + 2 : text.Length);
            case '@' when next == '@':
                return new SqlToken(SqlTokenKind.SystemVariable, at, EndOfName(text, at + 2));
            case '@' when next is '\'' or '"' or '`':
                return Quoted(text, at, at + 1, SqlTokenKind.Variable);
            case '@':
                var variable = EndOfName(text, at + 1);
                return new SqlToken(SqlTokenKind.Variable, at, variable, text[(at + 1)..variable]);
            case >= '0' and <= '9':
                var number = at;
                while (number < text.Length && (IsInName(text[number]) || text[number] == '.'))
                {
                    number++;
                }

                return new SqlToken(SqlTokenKind.Number, at, number);
            case var letter when IsInName(letter):
                var name = at;
                while (name < text.Length && IsInName(text[name]))
                {
                    name++;
                }

                return new SqlToken(SqlTokenKind.Name, at, name, text[at..name]);
            default:
                return new SqlToken(SqlTokenKind.Sign, at, at + 1);
        }
    }

    private static SqlToken Quoted(string text, int start, int quote, SqlTokenKind kind)
    {
        for (var i = quote + 1; i < text.Length; i++)
        {
            if (text[i] == '\\' && text[quote] != '`')
            {
                i++;
            }
            else if (text[i] == text[quote])
            {
                if (i + 1 == text.Length || text[i + 1] != text[quote])
                {
                    return new SqlToken(kind, start, i + 1, text[(quote + 1)..i].Replace(
                        new string(text[quote], 2), text[quote].ToString(), StringComparison.Ordinal));
                }

                i++;
            }
        }

        return new SqlToken(SqlTokenKind.Unclosed, quote, text.Length);
    }

    /// <summary>The name of a variable may have dots.</summary>
    private static int EndOfName(string text, int at)
    {
        while (at < text.Length && (IsInName(text[at]) || text[at] == '.'))
        {
            at++;
        }

        return at;
    }

    private static bool IsInName(char letter) => char.IsLetterOrDigit(letter) || letter is '_' or '$' || letter >= '\u0080';
}

/// <summary>Finds calls in SQL text. A server's own function is known by its name with the parenthesis directly behind it (MySQL manual,
/// "Function Name Parsing and Resolution"). Any other name may be a stored function.</summary>
internal static partial class SqlCalls
{
    /// <summary>Functions, and types that have a parenthesis in casts and declarations.</summary>
    private static readonly HashSet<string> Builtin = Words(
        """
        abs acos adddate addtime aes_decrypt aes_encrypt ascii asin atan atan2 avg bin bin_to_uuid bit_and bit_count bit_length
        bit_or bit_xor cast ceil ceiling char char_length character_length charset coalesce coercibility collation compress concat
        concat_ws conv convert convert_tz cos cot count crc32 cume_dist curdate current_date current_role current_time
        current_timestamp current_user curtime database date date_add date_format date_sub datediff day dayname dayofmonth dayofweek
        dayofyear default degrees dense_rank elt exp export_set extract extractvalue field find_in_set first_value floor format
        from_base64 from_days from_unixtime geometrycollection greatest group_concat hex hour if ifnull inet6_aton inet6_ntoa
        inet_aton inet_ntoa instr interval is_ipv4 is_ipv4_compat is_ipv4_mapped is_ipv6 json_array json_array_append
        json_array_insert json_arrayagg json_contains json_contains_path json_depth json_extract json_insert json_keys json_length
        json_merge json_merge_patch json_merge_preserve json_object json_objectagg json_quote json_remove json_replace json_search
        json_set json_type json_unquote json_valid json_value lag last_day last_value lcase lead least left length linestring ln
        localtime localtimestamp locate log log10 log2 lower lpad ltrim make_set makedate maketime match max md5 microsecond mid min
        minute mod month monthname multilinestring multipoint multipolygon name_const now nth_value ntile nullif oct octet_length
        ord percent_rank period_add period_diff pi point polygon position pow power quarter quote radians rand rank regexp_instr
        regexp_like regexp_replace regexp_substr repeat replace reverse right round row row_number rpad rtrim schema sec_to_time
        second session_user sha sha1 sha2 sign sin soundex space sqrt st_area st_asbinary st_asgeojson st_astext st_aswkb st_aswkt
        st_buffer st_centroid st_contains st_crosses st_difference st_dimension st_disjoint st_distance st_endpoint st_envelope
        st_equals st_exteriorring st_geometryn st_geometrytype st_geomfromgeojson st_geomfromtext st_geomfromwkb st_interiorringn
        st_intersection st_intersects st_isclosed st_isempty st_issimple st_length st_linefromtext st_linefromwkb st_numgeometries
        st_numinteriorrings st_numpoints st_overlaps st_pointfromtext st_pointfromwkb st_pointn st_polyfromtext st_polyfromwkb
        st_srid st_startpoint st_symdifference st_touches st_union st_within st_x st_y std stddev stddev_pop stddev_samp str_to_date
        strcmp subdate substr substring substring_index subtime sum sysdate system_user tan time time_format time_to_sec timediff
        timestamp timestampadd timestampdiff to_base64 to_days to_seconds trim truncate ucase uncompress uncompressed_length unhex
        unix_timestamp updatexml upper user utc_date utc_time utc_timestamp uuid uuid_short uuid_to_bin value values var_pop
        var_samp variance version week weekday weekofyear weight_string year yearweek
        bigint binary bit datetime dec decimal double enum float int integer mediumint numeric real smallint text tinyint varbinary varchar
        """);

    /// <summary>Words before a parenthesis that call nothing, with or without a gap.</summary>
    private static readonly HashSet<string> Reserved = Words(
        """
        against all and any as asc begin between bigint binary both by case cast char collate convert current_date current_time
        current_timestamp current_user database dec decimal default desc distinct distinctrow div do double else elseif end escape
        except exists false float for from group having if in insert int integer intersect interval into is join key leading left
        like limit localtime localtimestamp match mediumint mod natural not null numeric on or order over partition primary real
        regexp repeat replace return right rlike row schema select set smallint some sounds straight_join table then tinyint
        trailing true union unique until update using utc_date utc_time utc_timestamp values varbinary varchar when where while with
        xor
        """);

    /// <summary>The first name that may be a stored function or a procedure, in an expression or a trigger's body.</summary>
    public static string? FindStored(string text)
    {
        var last = "";
        foreach (Match match in Tokens().Matches(text))
        {
            if (match.Groups["name"] is { Success: true, Value: var name })
            {
                var isCall = match.Groups["open"].Success;
                var isBuiltin = Reserved.Contains(name) || (Builtin.Contains(name) && match.Groups["gap"].Length == 0);
                if ((isCall && !isBuiltin && !last.Equals("into", StringComparison.OrdinalIgnoreCase))
                    || name.Equals("call", StringComparison.OrdinalIgnoreCase))
                {
                    return name;
                }

                last = name;
            }
        }

        return null;
    }

    private static HashSet<string> Words(string text) => new(
        text.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries), StringComparer.OrdinalIgnoreCase);

    /// <summary>Texts, comments and names. A name may be qualified, and have an opening parenthesis behind it.</summary>
    [GeneratedRegex(
        """'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|--[^\n]*|\#[^\n]*|/\*.*?\*/|""" +
        """(?<name>(?:`[^`]*`|[\p{L}_$][\p{L}\p{N}_$]*)(?:\s*\.\s*(?:`[^`]*`|[\p{L}\p{N}_$]+))*)(?:(?<gap>\s*)(?<open>\())?""",
        RegexOptions.Singleline | RegexOptions.CultureInvariant)]
    private static partial Regex Tokens();
}
