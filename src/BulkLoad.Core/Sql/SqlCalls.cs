using System.Text.RegularExpressions;

namespace BulkLoad.Core.Sql;

/// <summary>
/// What a text in SQL calls. The server's own functions are known by name, written with the parenthesis at once (MySQL manual, "Function Name Parsing and Resolution"): anything else that stands
/// before one may be a stored function, whose body nobody here has read.
/// </summary>
internal static partial class SqlCalls
{
    /// <summary>Functions, and types, which stand before a parenthesis in casts and declarations.</summary>
    private static readonly HashSet<string> Builtin = Words(
        """
        abs acos adddate addtime aes_decrypt aes_encrypt ascii asin atan atan2 avg bin bin_to_uuid bit_count bit_length cast ceil ceiling char char_length character_length
        charset coalesce coercibility collation concat concat_ws conv convert convert_tz cos cot count crc32 curdate current_date current_time current_timestamp curtime date date_add date_format date_sub
        datediff day dayname dayofmonth dayofweek dayofyear degrees elt exp export_set extract field find_in_set floor format from_base64 from_days from_unixtime greatest
        group_concat hex hour if ifnull inet6_aton inet6_ntoa inet_aton inet_ntoa instr interval json_array json_contains json_extract json_merge_patch json_object json_quote
        json_remove json_replace json_set json_type json_unquote json_valid json_value last_day lcase least left length ln localtime localtimestamp locate log log10 log2 lower
        lpad ltrim makedate maketime max md5 microsecond mid min minute mod month monthname now nullif oct octet_length ord period_add period_diff pi point position pow power
        quarter quote radians rand regexp_instr regexp_like regexp_replace regexp_substr repeat replace reverse right round rpad rtrim sec_to_time second sha sha1 sha2 sign sin
        soundex space sqrt st_astext st_geomfromtext st_geomfromwkb str_to_date strcmp subdate substr substring substring_index subtime sum sysdate tan time time_format
        time_to_sec timediff timestamp timestampadd timestampdiff to_base64 to_days to_seconds trim truncate ucase unhex unix_timestamp upper utc_date utc_time utc_timestamp uuid
        uuid_to_bin value values week weekday weekofyear weight_string year yearweek
        bigint binary bit datetime dec decimal double enum float int integer mediumint numeric real smallint text tinyint varbinary varchar
        """);

    /// <summary>Words before a parenthesis that call nothing, whatever is between.</summary>
    private static readonly HashSet<string> Reserved = Words(
        """
        all and any as begin between binary by case cast convert div do else elseif end exists for from group having if in insert interval into is join key like limit mod not
        null on or order over partition primary regexp replace return rlike select set some sounds table then union unique until update using values when where while with xor
        """);

    /// <summary>The first name that may be that of a stored function, or a procedure; null: there is none.</summary>
    /// <param name="text">an expression, or the body of a trigger</param>
    public static string? FindStored(string text)
    {
        var last = "";
        foreach (Match match in Tokens().Matches(text))
        {
            if (match.Groups["name"] is { Success: true, Value: var name })
            {
                var isCall = match.Groups["open"].Success;
                var isBuiltin = Reserved.Contains(name) || (Builtin.Contains(name) && match.Groups["gap"].Length == 0);
                if ((isCall && !isBuiltin && !last.Equals("into", StringComparison.OrdinalIgnoreCase)) || name.Equals("call", StringComparison.OrdinalIgnoreCase))
                {
                    return name;
                }

                last = name;
            }
        }

        return null;
    }

    private static HashSet<string> Words(string text) => new(text.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries), StringComparer.OrdinalIgnoreCase);

    /// <summary>Texts, comments and names; a name may be qualified, and have an opening parenthesis behind it.</summary>
    [GeneratedRegex(
        """'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|--[^\n]*|\#[^\n]*|/\*.*?\*/|(?<name>(?:`[^`]*`|[\p{L}_$][\p{L}\p{N}_$]*)(?:\s*\.\s*(?:`[^`]*`|[\p{L}\p{N}_$]+))*)(?:(?<gap>\s*)(?<open>\())?""",
        RegexOptions.Singleline | RegexOptions.CultureInvariant)]
    private static partial Regex Tokens();
}
