using System.Buffers;
using System.Text;

namespace BulkLoad.Core.Protocol;

/// <summary>Text of the server's that people will read: one line, of bounded length, without control characters.</summary>
internal static class ServerText
{
    private const int MaxBytes = 4096;

    private static readonly SearchValues<char> Controls = SearchValues.Create(
        [.. Enumerable.Range(0, 0xa0).Select(code => (char)code).Where(char.IsControl), '\u2028', '\u2029']);

    public static string Decode(ReadOnlySpan<byte> utf8)
    {
        var text = Encoding.UTF8.GetString(utf8[..Math.Min(utf8.Length, MaxBytes)]);
        return text.AsSpan().ContainsAny(Controls)
            ? string.Create(text.Length, text, static (target, source) => source.AsSpan().ReplaceAny(target, Controls, ' '))
            : text;
    }
}
