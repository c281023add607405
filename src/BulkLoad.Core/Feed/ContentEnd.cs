using System.IO.Hashing;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Feed;

/// <summary>The end of an input, to be compared with known content: a file that gets its new records at the beginning ends with what was
/// loaded.</summary>
/// <param name="Length">bytes from the first record on</param>
/// <param name="Last">hash of the last line</param>
internal sealed record ContentEnd(long Length, string Last)
{
    private const int BufferBytes = 64 * 1024;

    /// <summary>Reads an input's end. Decompresses the whole input for that.</summary>
    public static ContentEnd Look(LoadSource source, SourceContent content, SourceOptions options, CancellationToken cancellationToken)
    {
        if (content is { IsPlain: true, Length: { } length } && source.Spool is null && source.Look.Path is { } path)
        {
            using var file = File.OpenHandle(path);
            var last = new byte[(int)Math.Min(length, ContentTap.EndBytes)];
            var read = RandomAccess.Read(file, last, content.Start + length - last.Length);
            return new ContentEnd(length, SourceContent.HashOfLastLine(last.AsSpan(0, read)));
        }

        var tap = new ContentTap(0);
        using var input = SourceContent.OpenAt(source, options, content.Start, cancellationToken);
        var buffer = new byte[BufferBytes];
        while (input.Content.Read(buffer) is > 0 and var read)
        {
            tap.Append(buffer.AsSpan(0, read));
        }

        return new ContentEnd(tap.Length, SourceContent.HashOfLastLine(tap.End));
    }

    /// <summary>Finds where an input begins to be equal to known content. The last record's line end does not count.</summary>
    /// <param name="length">of the known content</param>
    /// <param name="whole">hash of the known content</param>
    /// <returns>bytes from the first record on; null: the input does not end with it</returns>
    public long? Find(
        long length, string whole, LoadSource source, SourceContent content, SourceOptions options, CancellationToken cancellationToken)
    {
        foreach (var (lacks, surplus) in new[] { ("", 0), ("\n", 0), ("\r\n", 0), ("", 1), ("", 2) })
        {
            var from = Length + lacks.Length - surplus - length;
            if (from > 0 && from < Length && IsAt(from, length - lacks.Length, lacks))
            {
                return from;
            }
        }

        return null;

        bool IsAt(long from, long count, string lacks)
        {
            using var input = SourceContent.OpenAt(source, options, content.Start + from - 1, cancellationToken);
            var buffer = new byte[BufferBytes];
            if (input.Content.Read(buffer.AsSpan(0, 1)) == 0 || buffer[0] is not ((byte)'\n' or (byte)'\r'))
            {
                return false;
            }

            var hash = new XxHash128();
            while (count > 0)
            {
                var read = input.Content.Read(buffer.AsSpan(0, (int)Math.Min(buffer.Length, count)));
                if (read == 0)
                {
                    return false;
                }

                hash.Append(buffer.AsSpan(0, read));
                count -= read;
            }

            hash.Append(Encoding.ASCII.GetBytes(lacks));
            return Convert.ToHexStringLower(hash.GetCurrentHash()) == whole;
        }
    }
}
