namespace BulkLoad.Core.Common;

/// <summary>Checks an expression of the user (MySQL manual, "Expressions", "Comments", "String Literals"). It will be in parentheses in a
/// statement: anything that could end those, or change the rest, is refused. The server checks the rest.</summary>
internal static class SqlExpression
{
    /// <summary>Why the text is not one expression, as the end of a sentence. Null: it is one.</summary>
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
                case var quote when kind == SqlTokenKind.Unclosed:
                    return $"has a {quote} that is never closed";
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

    /// <summary>Without the <c>@</c>.</summary>
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

/// <summary>Finds calls in SQL text. A server's own function is known by its name with the parenthesis directly after it (MySQL manual,
/// "Function Name Parsing and Resolution"). Any other name may be a stored function.</summary>
internal static class SqlCalls
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
        SqlToken[] tokens = [.. SqlTokens.Of(text).Where(token => token.Kind != SqlTokenKind.Comment)];
        var last = "";
        for (var at = 0; at < tokens.Length; at++)
        {
            if (tokens[at].Kind != SqlTokenKind.Name)
            {
                continue;
            }

            var start = tokens[at].Start;
            while (IsSign(at + 1, '.') && at + 2 < tokens.Length && tokens[at + 2].Kind is SqlTokenKind.Name or SqlTokenKind.Number)
            {
                at += 2;
            }

            var name = text[start..tokens[at].End];
            var isCall = IsSign(at + 1, '(');
            var isBuiltin = Reserved.Contains(name) || (Builtin.Contains(name) && isCall && tokens[at + 1].Start == tokens[at].End);
            if ((isCall && !isBuiltin && !last.Equals("into", StringComparison.OrdinalIgnoreCase))
                || name.Equals("call", StringComparison.OrdinalIgnoreCase))
            {
                return name;
            }

            last = name;
        }

        return null;

        bool IsSign(int at, char sign) => at < tokens.Length && tokens[at].Kind == SqlTokenKind.Sign && text[tokens[at].Start] == sign;
    }

    private static HashSet<string> Words(string text) => new(
        text.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries), StringComparer.OrdinalIgnoreCase);
}
