using System.Buffers;

namespace BulkLoad.Core.Input.Streams;

internal static class OriginalText
{
    /// <summary>Writes text and the bytes that <see cref="InvalidBytes">marks</see> stand for.</summary>
    /// <param name="decoded">UTF-8 with marks</param>
    public static void Write(ReadOnlySpan<byte> decoded, Encoding encoding, IBufferWriter<byte> output)
    {
        while (!decoded.IsEmpty)
        {
            var mark = InvalidBytes.IndexOf(decoded);
            var text = mark < 0 ? decoded : decoded[..mark];
            if (!text.IsEmpty)
            {
                encoding.GetBytes(Encoding.UTF8.GetString(text), output);
            }

            decoded = decoded[text.Length..];
            if (!decoded.IsEmpty)
            {
                output.Write([InvalidBytes.Original(decoded, out var length)]);
                decoded = decoded[length..];
            }
        }
    }
}
