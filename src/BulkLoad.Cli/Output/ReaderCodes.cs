namespace BulkLoad.Cli.Output;

/// <summary>What the reader refuses: the line is no record of its file.</summary>
internal static class ReaderCodes
{
    private const string Limit = "--max-rejects N --reject-file bad.csv loads the others.";

    public static IReadOnlyList<HelpCode> All { get; } =
    [
        new("bad-range", "With --ranges, a line is no range of whole numbers from a smaller to a larger one.",
            "20..10", "Write the smaller number first, such as 10..20."),
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
