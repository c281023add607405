using System.Text;
using System.Text.Unicode;

namespace BulkLoad.Core.Reading;

/// <summary>The faults and errors that several readers find, in the same words.</summary>
internal static class RecordFaults
{
    public static RecordFault StrayQuote(int field) => new(
        "stray-quote", "a quote within a field that does not begin with one; enclose the field and double the quote", field);

    public static RecordFault TextAfterQuote(int field) => new(
        "text-after-quote", "text after a closing quote; a quote within a quoted field must be doubled", field);

    public static RecordFault UnclosedQuote(int field) => new(
        "unclosed-quote", "a quote is opened here and never closed, so that the field runs to the end of the input", field);

    public static RecordFault UnclosedEscape(int field) => new(
        "unclosed-escape", "the input ends with an escape character, behind which nothing stands", field);

    public static RecordFault FieldCount(int found, int expected) => found < expected
        ? new("few-fields", $"{found} {Fields(found)}, expected {expected}")
        : new("many-fields", $"{found} {Fields(found)}, expected {expected}; is a delimiter within a field without quotes?", expected);

    public static InputException TooLarge(string name, long line, long maxRecordBytes) =>
        new($"{name}:{line}: the record that starts here is larger than {maxRecordBytes} bytes; look for a quote that is not closed, or raise --max-record-bytes");

    /// <summary>A name of the header as text.</summary>
    /// <exception cref="InputException">it is not UTF-8</exception>
    public static string HeaderName(ReadOnlySpan<byte> name, string inputName, long line) => Utf8.IsValid(name)
        ? Encoding.UTF8.GetString(name)
        : throw new InputException($"{inputName}:{line}: the header is not valid UTF-8; name the file's encoding, such as --encoding windows-1252");

    private static string Fields(int count) => count == 1 ? "field" : "fields";
}
