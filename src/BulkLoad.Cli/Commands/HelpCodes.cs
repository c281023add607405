using BulkLoad.Cli.Output;

namespace BulkLoad.Cli.Commands;

/// <summary>The text of <c>bulkload help CODE</c> for a reason for which records are refused, or left to the server.</summary>
/// <param name="Code">as in reports and reject files</param>
/// <param name="Means">one or two sentences</param>
/// <param name="Example">a value or record with this error</param>
/// <param name="ToDo">which options, commands or changes help</param>
internal sealed record HelpCode(string Code, string Means, string Example, string ToDo)
{
    public void Write(TextWriter to, int width)
    {
        foreach (var (label, text) in ((string, string)[])[("", Means), ("Example: ", Example), ("What to do: ", ToDo)])
        {
            LineWrap.Paragraph($"{label}{text}", width).ForEach(to.WriteLine);
        }
    }
}

/// <summary>By who finds them.</summary>
internal static class HelpCodes
{
    public const string Word = "codes";

    public static IReadOnlyList<(string Title, IReadOnlyList<HelpCode> Codes)> Groups { get; } =
    [
        ("Lines that are no good record", ReaderCodes.All),
        ("Values that a column does not take", ValueCodes.All),
        ("Records that the server refuses, or that find no row", ServerCodes.All),
        ("Records that a check leaves to the server", UndecidedCodes.All),
    ];

    public static IEnumerable<HelpCode> All => Groups.SelectMany(group => group.Codes);

    public static HelpCode? Find(string code) => All.FirstOrDefault(one => one.Code == code);

    public static void WriteList(TextWriter to, int width)
    {
        to.WriteLine("The reasons in reports and reject files. 'bulkload help CODE' has an example, and what to do.");
        foreach (var (title, codes) in Groups)
        {
            HelpText.Section(to, title, codes.Select(code => (code.Code, code.Means)), width);
        }
    }
}

internal static class ReaderCodes
{
    private const string Limit = "--max-rejects N --reject-file bad.csv loads the others.";

    public static IReadOnlyList<HelpCode> All { get; } =
    [
        new("bad-range", "With --ranges, a line is no range of whole numbers from a smaller to a larger one.",
            "20..10", "Write the smaller number first, such as 10..20."),
        new("byte-order-mark", "A line other than the first begins with a byte order mark, as in files that were put one behind the other.",
            "\\ufeff2,Bob", "--dirt byte-order-mark=repair removes it."),
        new("duplicate-name", "A JSON object has the same key twice. Servers and programs disagree about which one counts.",
            """{"id":1,"id":2}""", $"Leave one of them out. {Limit}"),
        new("empty-lines", "A line is empty. A file with one column may mean an empty value by it, so it is not skipped without a word.",
            "1,Ada, then an empty line, then 2,Bob", "--dirt empty-lines=repair skips such lines and counts them."),
        new("few-fields", "A record has fewer fields than the header, or than the columns of the table.",
            "id,name,age and then 1,Ada", "Complete the line. If missing fields at the end mean NULL: --dirt few-fields=repair."),
        new("footer", "A line after the last record is not a record, such as a total.",
            "Total;;38", "--dirt footer=repair skips it."),
        new("invalid-json", "The text is not valid JSON.",
            """{"id":1,""", "Fix the line. If objects are spread over several lines: --format json."),
        new("invalid-utf-8", "A JSON object has bytes that are not UTF-8.",
            "caf\u00e9 as ISO 8859-1 writes it", "Name the file's encoding, such as --encoding windows-1252."),
        new("lone-surrogate", "An escape of JSON is one half of a surrogate pair, which is no character.",
            "\"\\ud83d\" without the second half", "Write both halves, or the character itself."),
        new("many-fields", "A record has more fields than the header, or than the columns of the table. Often a delimiter is within a "
            + "value without quotes.",
            "id,name and then 1,Duarte, In\u00eas",
            "Enclose the value in quotes: 1,\"Duarte, In\u00eas\". If the file has another delimiter: --delimiter ';'."),
        new("mixed-newlines", "A line ends in another way than the first one.",
            "the first line ends with CR LF, this one with LF",
            "--dirt mixed-newlines=repair takes both, or --newline says which one ends a record."),
        new("not-an-object", "A line, or an element of an array, is JSON but no object.",
            "[1,\"Ada\"]", "Write an object with the names of the columns. An array of objects: --format json."),
        new("nul-bytes", "A record has NUL bytes. Often the file is UTF-16, or was cut by a crash.",
            "A NUL between the letters", "--encoding utf-16 if it is that; --dirt nul-bytes=repair removes them."),
        new("other-dialect", "A record has another delimiter or quote than the rest of its file.",
            "1;Ada in a file of commas", "--dirt other-dialect=repair reads it so."),
        new("padding", "There are blanks between a quote and the delimiter.",
            "1, \"Ada\" ,36", "--dirt padding=repair removes them."),
        new("preamble", "A line is before the header, such as a title.",
            "Report of people", "--dirt preamble=repair skips such lines; --skip-lines N says how many there are."),
        new("record-too-large", "A record is larger than the limit. Often a quote is not closed.",
            "a text of 20 MB", "If it is right so: --max-record-bytes 64M."),
        new("repeated-header", "The header comes again within the file, as in files that were joined.",
            "id,name in line 1 and in line 1,000", "--dirt repeated-header=repair skips it. If the first line is a record: --no-header."),
        new("several-tables", "A second table begins after the last record: another header, then other records.",
            "id,name and records, an empty line, then code,price", "Import each table from a file of its own."),
        new("stray-quote", "A quote is within a field that does not begin with one.",
            "1,12\" nail", "Enclose the field and double the quote: 1,\"12\"\" nail\". If the file has no quotes: --quote ''."),
        new("text-after-quote", "Text follows a closing quote. A quote within a quoted field must be doubled.",
            "1,\"say \"hello\"\"", "Double the quotes within: \"say \"\"hello\"\"\". If they are escaped: --escape '\\'."),
        new("unclosed-escape", "The input ends with an escape character, and nothing follows it.",
            "a backslash as the last byte", "Complete the file: it may be cut off."),
        new("unclosed-quote", "A quote is opened and not closed within the lines that a field may have.",
            "2,\"Bob", "Close it. If fields are longer: --max-quoted-lines, --max-record-bytes. If the file has no quotes: --quote ''."),
        new("unknown-key", "A JSON object has a key that is none of the table's columns.",
            """{"id":1,"nmae":"Ada"}""", "--map nmae=name sends it to a column, --ignore-unknown ignores all such keys."),
    ];
}

internal static class ValueCodes
{
    public static IReadOnlyList<HelpCode> All { get; } =
    [
        new("ambiguous-time", "A time is in an hour that its time zone has twice, since clocks go back.",
            "2024-10-27 02:30:00 in Europe/Berlin",
            "Write it with its offset, such as +02:00, or name a zone without such hours: --time-zone UTC."),
        new("becomes-zero", "A number is not 0, and the nearest value of the FLOAT, DOUBLE or VECTOR column is.",
            "1e-400", "A DECIMAL column keeps it, or write 0."),
        new("has-offset", "A value has a UTC offset, which the column cannot keep or convert.",
            "2024-01-31+02:00 for a DATE column", "Remove the offset, or load it into a DATETIME or TIMESTAMP column."),
        new("has-time", "A value has a time of day, which a DATE column does not keep.",
            "2024-01-31 10:00:00 for a DATE column",
            "Remove the time, or make the column a DATETIME. --set \"born=date(@t)\" --map born=@t cuts it."),
        new("impossible-date", "A date or time does not exist.",
            "2024-02-30",
            "Fix the value. If zeros are meant: --zero-dates; if day and month are the other way round: --date-format dd/MM/yyyy."),
        new("inexact-number",
            "The server would change a number: it rounds to the column's digits, and JSON keeps 64-bit integers and the nearest double of "
                + "all others.",
            "12345678901234567890.123 in a JSON column", "Write fewer digits, or load it as text or into a DECIMAL column."),
        new("invalid-geometry", "A geometry is written right, and breaks the rules of its type.",
            "POLYGON((0 0,1 1,1 0)), a ring that is not closed", "Fix the geometry: a line has two points, a ring is closed."),
        new("invalid-text", "A value has bytes that are not UTF-8.",
            "caf\u00e9 as windows-1252 writes it",
            "Name the file's encoding: --encoding windows-1252. bulkload check FILE --suggest finds it."),
        new("missing-value",
            "A JSON object lacks a column that is NOT NULL and has no default; or it lacks the key of an update or delete.",
            """{"name":"Ada"} where id is the key""", "Add the value, or give the column a default: --set id=0."),
        new("nested-collection", "A GEOMETRYCOLLECTION is within another one, which MariaDB does not read.",
            "GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(POINT(1 1)))", "Write its parts in one collection."),
        new("not-a-date", "A value is not a date in the form that is expected, which is YYYY-MM-DD unless an option says otherwise.",
            "31.12.2024",
            "--date-format dd.MM.yyyy, or --datetime-format; excel, epoch and epoch-ms are known too. bulkload check FILE --suggest finds "
                + "it."),
        new("not-a-number", "A value is not a number in the form that is expected: digits, a point, an exponent.",
            "1.234,50",
            "--decimal , --thousands . or --currency, --percent; blanks: --trim; a word for NULL: --null-value NaN. bulkload check FILE "
                + "--suggest finds it."),
        new("not-a-time", "A value is not a time of the form hh:mm:ss.",
            "10:00 AM", "--time-format 'hh:mm tt'. bulkload check FILE --suggest finds it."),
        new("not-a-uuid", "A value is not a UUID of 32 hexadecimal digits, with hyphens or without.",
            "123e4567-e89b", "Fix the value; a word for NULL: --null-value TEXT."),
        new("not-a-vector", "A value is not a list of numbers in brackets.",
            "1,2,3 without brackets", "Write [1,2,3], as many numbers as the VECTOR column has."),
        new("not-a-year", "A value is not a year of four digits.",
            "24", "Write 2024. The servers would take 24 as 2024, and 70 as 1970."),
        new("not-an-address", "A value is not an IP address of the column's type.",
            "10.0.0.256 for an INET4 column", "Fix the value, or make the column an INET6, which holds both."),
        new("not-an-integer", "A value is not a whole number.",
            "x17, 1.5, 1,000",
            "--thousands , takes 1,000; --round rounds 1.5; blanks: --trim; a word for NULL: --null-value TEXT; words for true and false: "
                + "--true, --false."),
        new("not-base64", "A value for a binary column is not base64, as --binary says.",
            "a value of one letter", "--binary hex or raw if the file has that; for one column: --binary photo=base64."),
        new("not-hex", "A value for a binary column is not an even count of hexadecimal digits.",
            "abc", "--binary base64, uuid or raw if the file has that; for one column: --binary photo=base64."),
        new("not-in-charset", "A text has a character that the column's character set does not have.",
            "\u674e in a latin1 column", "Make the column utf8mb4, or change the text."),
        new("not-json", "A value for a JSON column is not a JSON document.",
            "{id:1}", "Fix the document; a text is \"written so\"."),
        new("not-wkt", "A value for a geometry column is not well-known text.",
            "1,2", "Write POINT(1 2)."),
        new("null-key", "The key of an update or delete is NULL, and NULL finds no row.",
            "an empty field in the key's column", "Add the key. An empty text as a key: \"\" or --empty string."),
        new("null-not-allowed",
            "A value is NULL or missing, and the column is NOT NULL, or its engine stores another value in place of NULL.",
            "an empty field, \\N or JSON null",
            "--empty default takes the column's default, --empty string an empty text; or let the column be NULL."),
        new("out-of-range", "A number, date or time is beyond what the column's type holds.",
            "300 for a TINYINT", "Use a larger type, such as INT; or fix the value."),
        new("too-deep", "A JSON document is nested deeper than the 100 levels that the server reads.",
            "101 brackets", "Make the document flatter, or load it into a text column."),
        new("too-long", "A value is longer than its column.",
            "abcdef for a VARCHAR(5)", "Make the column longer. --set \"name=left(@n,5)\" --map name=@n cuts it knowingly."),
        new("too-many-decimals", "A number has more decimals than the column holds, or a time more digits of a second.",
            "12.345 for a DECIMAL(5,2)", "--round rounds it, or use a larger scale."),
        new("too-short", "A value is shorter than its BINARY(n) column, which would be filled with zeros.",
            "ab for a BINARY(2)", "Write all bytes, or make the column a VARBINARY."),
        new("trailing-blanks", "A text ends with blanks, which a CHAR column does not keep.",
            "'Ada ' for a CHAR(10)", "--trim removes them, or make the column a VARCHAR."),
        new("unknown-label", "A value is none of the labels of an ENUM or SET. They are never taken by their number.",
            "purple for ENUM('red','green')",
            "Fix the value, or add the label to the column. Labels are compared with the case of their letters."),
        new("unknown-zone", "A time has a UTC offset, and the server's own time zone is not known here.",
            "2024-01-31 10:00:00+02:00", "--time-zone Europe/Berlin, or --time-zone UTC."),
        new("wrong-geometry", "A geometry is not of the column's type.",
            "LINESTRING(0 0,1 1) for a POINT column", "Make the column a GEOMETRY, or fix the value."),
    ];
}

internal static class ServerCodes
{
    public static IReadOnlyList<HelpCode> All { get; } =
    [
        new("check-constraint", "A CHECK constraint of the table is not fulfilled.",
            "age 200 with CHECK (age < 150)", "Fix the value, or the constraint."),
        new("different-row", "The table has a row with the record's key, and other values.",
            "a row that was changed after it was loaded",
            "bulkload update FILE sets the file's values; bulkload verify FILE --reject-file differs.csv keeps these records."),
        new("duplicate-key", "The primary key or a unique key is in the table already, or in an earlier record.",
            "id 1 twice", "--on-duplicate ignore keeps the old row, update changes it, replace puts a new one in its place."),
        new("foreign-key", "The row that a foreign key refers to is missing. Of a delete: rows of another table refer to this one.",
            "city_id 9, and no city has the id 9",
            "Load the other table first; bulkload seed DIR finds the order by itself. Of a delete: delete the rows of the other table "
                + "first."),
        new("missing-row", "The table has no row with the record's key, or none with its values.",
            "a row that was deleted after it was loaded",
            "bulkload verify FILE --reject-file missing.csv keeps these records, and bulkload import loads them."),
        new("not-found", "No row has the key of an update or delete, or none that meets --where too.",
            "id 9 where the table has 1 to 8", "Fix the key. If it may be missing: --ignore-missing counts it instead."),
        new("refused-by-server", "The server has refused the record for another reason: its number and words are in the message.",
            "a partition that does not exist", "Look up the error's number in the server's manual."),
        new("several-rows", "Several rows have the record's key, so that it cannot be said which one is its own.",
            "bulkload verify --key name, and two rows have the name", "Name columns that distinguish records: --key id."),
        new("trigger-signal", "A trigger of the table has refused the row (SIGNAL).",
            "SIGNAL SQLSTATE '45000' in a BEFORE INSERT trigger", "Fix the value; the trigger's text is in the message."),
    ];
}

internal static class UndecidedCodes
{
    private const string Ask = "bulkload check FILE --on-server asks the server, and rolls everything back.";

    public static IReadOnlyList<HelpCode> All { get; } =
    [
        new("charset", "A column's character set is not known here.", "a column of the charset sjis", Ask),
        new("default-expression", "The server computes a column's default.", "DEFAULT (uuid())", Ask),
        new("generated-column", "The table has columns or keys that the server computes from others.",
            "total INT AS (price * count) UNIQUE", Ask),
        new("geometry", "Only the server knows whether a geometry is valid.", "POLYGON(...) into a column with an SRID", Ask),
        new("key-comparison",
            "A record could be a duplicate of an earlier one: only the column's collation says so, or the server makes the value.",
            "Stra\u00dfe and Strasse", Ask),
        new("partition", "A row may fit into none of the table's partitions.", "a year after the last partition", Ask),
        new("set-expression", "The server computes a column.", "--set \"name=upper(@n)\"", Ask),
        new("table-rows", "The table has rows, and may have one with the same key.", "a table that is not empty", Ask),
        new("time-zone", "It is not known whether a time exists, since the server's time zone is not known here.",
            "2024-03-31 02:30:00, an hour that some zones skip", $"--time-zone Europe/Berlin, or: {Ask}"),
        new("trigger", "The table has INSERT triggers, which may refuse a row.", "a BEFORE INSERT trigger", Ask),
    ];
}
