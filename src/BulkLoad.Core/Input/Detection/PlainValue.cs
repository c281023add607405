using System.Buffers;

namespace BulkLoad.Core.Input.Detection;

/// <summary>Recognises values that nobody uses as a name: numbers, dates, times, addresses, UUIDs, NULL, booleans.</summary>
internal static class PlainValue
{
    private const int UuidLength = 36;

    private static readonly SearchValues<byte> NumberBytes = SearchValues.Create("0123456789+-.,:/% TZEe"u8);

    private static readonly SearchValues<byte> UuidBytes = SearchValues.Create("0123456789abcdefABCDEF-"u8);

    private static readonly SearchValues<byte> Digits = SearchValues.Create("0123456789"u8);

    /// <summary>The text must not be empty.</summary>
    public static bool Is(ReadOnlySpan<byte> text) => IsNumberOrTime(text) || IsWord(text) || IsAddress(text) || IsUuid(text);

    /// <summary>Years are often names of columns.</summary>
    public static bool IsYear(ReadOnlySpan<byte> text) =>
        text.Length == 4 && text[0] is (byte)'1' or (byte)'2' && text.IndexOfAnyExcept(Digits) < 0;

    private static bool IsNumberOrTime(ReadOnlySpan<byte> text) =>
        text.IndexOfAnyExcept(NumberBytes) < 0 && text.IndexOfAny(Digits) is >= 0 and <= 2
        && text[0] is not ((byte)'T' or (byte)'Z' or (byte)'E' or (byte)'e');

    private static bool IsWord(ReadOnlySpan<byte> text) =>
        text is [(byte)'\\', (byte)'N'] || text.SequenceEqual("NULL"u8)
        || System.Text.Ascii.EqualsIgnoreCase(text, "true"u8) || System.Text.Ascii.EqualsIgnoreCase(text, "false"u8);

    private static bool IsAddress(ReadOnlySpan<byte> text) =>
        text.StartsWith("http://"u8) || text.StartsWith("https://"u8)
        || (text.IndexOf((byte)'@') is > 0 and var at && text[at..].IndexOf((byte)'.') > 1 && !text.Contains((byte)' '));

    private static bool IsUuid(ReadOnlySpan<byte> text) =>
        text.Length == UuidLength && text[8] == '-' && text[13] == '-' && text.IndexOfAnyExcept(UuidBytes) < 0;
}
