using System.Text.Unicode;

namespace BulkLoad.Core.Input.Formats;

internal static class RecordFaults
{
    /// <summary>Bytes kept of a record that is too large.</summary>
    public const int LargestCut = 64 * 1024;

    public const string UnclosedQuoteCode = "unclosed-quote";

    public const string StrayQuoteCode = "stray-quote";

    public const string TextAfterQuoteCode = "text-after-quote";

    public const string PreambleCode = "preamble";

    public const string RepeatedHeaderCode = "repeated-header";

    public const string FewFieldsCode = "few-fields";

    public const string ManyFieldsCode = "many-fields";

    public static RecordFault StrayQuote(int field) => new(
        StrayQuoteCode, "a quote within a field that does not begin with one; enclose the field and double the quote", field);

    public static RecordFault TextAfterQuote(int field) => new(
        TextAfterQuoteCode, "text after a closing quote; a quote within a quoted field must be doubled", field);

    public static RecordFault UnclosedQuote(int field, int lines, int maxBytes, bool hasEnded) => new(
        UnclosedQuoteCode,
        hasEnded
            ? "a quote is opened here and not closed before the end of the input"
            : lines == 0
            ? "a quote is opened here and not closed on this line (--no-multiline)"
            : $"a quote is opened here and not closed within {lines} lines and {maxBytes} bytes (--max-quoted-lines, --max-record-bytes)",
        field);

    public static RecordFault UnclosedLine(int field) => new(
        UnclosedQuoteCode, "a quote is opened here and not closed on this line, and the lines after it are separate records", field);

    public static RecordFault UnclosedEscape(int field) => new(
        "unclosed-escape", "the input ends with an escape character, and nothing follows it", field);

    public static RecordFault FieldCount(int found, int expected) => found < expected
        ? new(FewFieldsCode, $"{found} {Fields(found)}, expected {expected}")
        : new(ManyFieldsCode, $"{found} {Fields(found)}, expected {expected}; is a delimiter within a field without quotes?", expected);

    public static RecordFault NulBytes { get; } = new("nul-bytes", "holds NUL bytes (--dirt nul-bytes=repair removes them)");

    public static RecordFault ByteOrderMark { get; } = new(
        "byte-order-mark",
        "begins with a byte order mark, as where a file was put behind another one (--dirt byte-order-mark=repair removes it)");

    private static RecordFault EmptyLine { get; } = new("empty-lines", "an empty line");

    private static RecordFault RepeatedHeader { get; } = new(
        RepeatedHeaderCode, "the header again (--dirt repeated-header=repair skips it; --no-header, if the first line is a record)");

    public static RecordFault Preamble { get; } = new(
        PreambleCode, "a line before the header (--dirt preamble=repair skips it, --skip-lines says how many there are)");

    private static RecordFault Footer { get; } = new("footer", "not a record, and none follows it (--dirt footer=repair skips it)");

    private static RecordFault SeveralTables { get; } = new(
        "several-tables", "part of another table, which begins after the last record; import that from a separate file");

    public static RecordFault MixedNewlines { get; } = new("mixed-newlines", "ends with another line end than the first line");

    public static RecordFault Padding(int field) => new(
        "padding", "blanks between quote and delimiter (--dirt padding=repair removes them)", field);

    public static RecordFault OtherDialect(int found, int expected) => new(
        "other-dialect",
        $"{found} {Fields(found)}, expected {expected}: it has another delimiter or quote than the file (--dirt other-dialect=repair " +
        "reads it so)");

    public static RecordFault TooLarge(int maxRecordBytes, int kept) => new(
        "record-too-large",
        $"the record is larger than {maxRecordBytes} bytes, of which the first {kept} are kept; raise --max-record-bytes");

    public static RecordFault Line(DirtKind kind) => kind switch
    {
        DirtKind.EmptyLines => EmptyLine,
        DirtKind.Footer => Footer,
        DirtKind.SeveralTables => SeveralTables,
        _ => RepeatedHeader,
    };

    /// <summary>Whether the whole line is at fault, so nothing in it can be repaired.</summary>
    public static bool IsOfLine(RecordFault fault) =>
        fault == EmptyLine || fault == RepeatedHeader || fault == Footer || fault == SeveralTables || fault == MixedNewlines;

    public static string HeaderName(ReadOnlySpan<byte> name, string inputName, long line) => DirtSigns.MarkLength(name) > 0
        ? throw new InputException($"{inputName}:{line}: a name of the header begins with a byte order mark that is not the file's first: "
            + "remove it")
        : Utf8.IsValid(name)
        ? Encoding.UTF8.GetString(name)
        : throw new InputException(
            $"{inputName}:{line}: the header is not valid UTF-8; name the file's encoding, such as --encoding windows-1252");

    private static string Fields(int count) => Plural.For(count, "field");
}

/// <summary>Finds dirt in good records, as far as the user asked for it: NUL bytes, blanks, line ends.</summary>
internal sealed class DirtSigns
{
    private readonly bool _looksForMarks;
    private readonly bool _looksForNulBytes;
    private readonly bool _looksForPadding;
    private ulong _newline;

    private DirtSigns(DirtPolicies policies, bool looksForMarks)
    {
        _looksForMarks = looksForMarks;
        LooksForNewlines = policies.Names(DirtKind.MixedNewlines);
        _looksForNulBytes = policies.Names(DirtKind.NulBytes);
        _looksForPadding = policies[DirtKind.Padding] == DirtAction.Repair;
    }

    /// <summary>The byte order mark in UTF-8.</summary>
    private static ReadOnlySpan<byte> Mark => [0xEF, 0xBB, 0xBF];

    public static DirtSigns? For(Dialect dialect)
    {
        var policies = dialect.Dirt;
        var looksForMarks = MayHaveMarks(dialect);
        return looksForMarks || policies.Names(DirtKind.NulBytes) || policies.Names(DirtKind.MixedNewlines)
            || policies[DirtKind.Padding] == DirtAction.Repair ? new DirtSigns(policies, looksForMarks) : null;
    }

    /// <summary>A server's own text has marks only in values.</summary>
    public static bool MayHaveMarks(Dialect dialect) => !dialect.Format.IsEscaped();

    /// <summary>The length of a byte order mark at the beginning of a record, or 0.</summary>
    public static int MarkLength(ReadOnlySpan<byte> record) => record.StartsWith(Mark) ? Mark.Length : 0;

    public bool LooksForNewlines { get; }

    public RecordFault? FindOtherNewline(ReadOnlySpan<byte> rest)
    {
        if (!LooksForNewlines)
        {
            return null;
        }

        var newline = rest.IsEmpty ? 0 : rest.StartsWith("\r\n"u8) ? 0x0D0AUL : rest[0];
        var isOther = newline != 0 && _newline != 0 && newline != _newline;
        _newline = _newline == 0 ? newline : _newline;
        return isOther ? RecordFaults.MixedNewlines : null;
    }

    /// <param name="record">the reader's current one</param>
    public bool AreIn(IRecordReader reader, ReadOnlySpan<byte> record) =>
        (_looksForMarks && record is [0xEF, ..] && MarkLength(record) > 0)
        || (_looksForNulBytes && record.Contains((byte)0))
        || (_looksForPadding && HasPadding(reader));

    private static bool HasPadding(IRecordReader reader)
    {
        for (var i = 0; i < reader.FieldCount; i++)
        {
            if (reader.GetField(i, out var value) == FieldKind.Bare && value.Length > 0 && (IsBlank(value[0]) || IsBlank(value[^1])))
            {
                return true;
            }
        }

        return false;
    }

    private static bool IsBlank(byte value) => value is (byte)' ' or (byte)'\t';
}
