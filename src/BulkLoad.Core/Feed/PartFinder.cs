using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Reports;

namespace BulkLoad.Core.Feed;

/// <summary>Finds the part of a file that <c>--part</c> asks for: the records that begin in it. Each record begins in one part only, since
/// all parts look for the same places by the same rules.</summary>
internal static class PartFinder
{
    private const int BufferBytes = 64 * 1024;

    /// <param name="look">what the file's beginning shows, with all settings that decide where a record ends</param>
    /// <param name="progress">told how far the file was read; null: nobody asks</param>
    /// <exception cref="PlanException">it is no plain file, or its records cannot be found in parts</exception>
    /// <exception cref="InputException">the file cannot be read</exception>
    public static FilePart Find(
        SourceInfo look, PartOfFile asked, SourceOptions options, PassProgress? progress, CancellationToken cancellationToken)
    {
        Require(look, options);
        using var input = look.Open(options, tap: null, cancellationToken);
        using var reader = look.CreateLineReader(input, options);
        var length = input.Length!.Value;
        var part = new FilePart(asked, length, length, length, length) { LinesBefore = 0 };
        if (reader.Read())
        {
            part = part with
            {
                HeadEnd = input.SourceOffset(reader.ByteOffset),
                FirstRecord = SourceContent.HashOfRecord(input, reader),
            };
            part = options.LacksMultiline
                ? ByLineEnds(look, part, LineEndsOf(look.Format))
                : ByRecords(part, input, reader, progress);
        }

        input.CheckUnchanged();
        return part;
    }

    private static void Require(SourceInfo look, SourceOptions options)
    {
        if (look is not { Path: not null, Length: not null, Compression: InputCompression.None })
        {
            throw new PlanException(look.Length is null
                ? $"--part: {look.Name} is a pipe, and only a file has parts"
                : $"--part: {look.Name} is compressed, and nobody can begin in its middle: decompress it first");
        }

        if (look.FindPartObstacle(options) is { } obstacle)
        {
            throw new PlanException($"--part: {look.Name} has to be read as a whole: it is {obstacle}");
        }

        if (options.LacksMultiline && (look.FindLineEndObstacle(options) ?? FindEncodingObstacle(look)) is { } unclear)
        {
            throw new PlanException($"--no-multiline: a line end may be within a record of {look.Name}: it is {unclear}: leave "
                + "--no-multiline out");
        }
    }

    private static string? FindEncodingObstacle(SourceInfo look) =>
        InputEncoding.Find(look.EncodingName).GetBytes("\n").AsSpan().SequenceEqual("\n"u8) ? null : $"in {look.EncodingName}";

    private static LineEnds LineEndsOf(InputFormat format) => format.IsJson() ? LineEnds.LfOrCrlf : LineEnds.Any;

    /// <summary>Where the k-th part should begin.</summary>
    private static long Goal(FilePart part, int number) =>
        part.HeadEnd + (long)((Int128)(part.FileLength - part.HeadEnd) * number / part.Asked.Count);

    /// <summary>A part begins with the first record at its goal or behind it.</summary>
    /// <param name="reader">at the file's first record</param>
    private static FilePart ByRecords(FilePart part, InputFile input, IRecordReader reader, PassProgress? progress)
    {
        var (first, number) = (reader.LineNumber, part.Asked.Number);
        var (from, lines) = (part.HeadEnd, 0L);
        if (number > 1 && ReadTo(Goal(part, number - 1)) is var begin)
        {
            (from, lines) = (begin ?? part.FileLength, begin is null ? 0 : reader.LineNumber - first);
        }

        var to = number == part.Asked.Count ? part.FileLength : ReadTo(Goal(part, number)) ?? part.FileLength;
        return part with { From = from, To = to, LinesBefore = lines };

        // Null: no record begins there or behind.
        long? ReadTo(long goal)
        {
            var read = 0;
            do
            {
                if (input.SourceOffset(reader.ByteOffset) is var offset && offset >= goal)
                {
                    return offset;
                }

                if (++read % PassProgress.Records == 0)
                {
                    progress?.At(input.BytesRead);
                }
            }
            while (reader.Read());

            return null;
        }
    }

    /// <summary>A part begins with the first line at its goal or behind it.</summary>
    private static FilePart ByLineEnds(SourceInfo look, FilePart part, LineEnds lineEnds)
    {
        using var file = File.OpenHandle(look.Path!);
        return part with
        {
            From = LineAt(part.Asked.Number - 1),
            To = LineAt(part.Asked.Number),
            LinesBefore = part.Asked.Number == 1 ? 0 : null,
        };

        long LineAt(int number) => number == part.Asked.Count ? part.FileLength
            : Goal(part, number) is var goal && goal <= part.HeadEnd ? part.HeadEnd : FindLine(file, goal, part.FileLength, lineEnds);
    }

    private static long FindLine(Microsoft.Win32.SafeHandles.SafeFileHandle file, long goal, long length, LineEnds lineEnds)
    {
        var buffer = new byte[BufferBytes];
        var (position, kept) = (goal - 1, 0);
        while (true)
        {
            var read = RandomAccess.Read(file, buffer.AsSpan(kept), position + kept);
            var bytes = buffer.AsSpan(0, kept + read);
            var end = lineEnds.IndexIn(bytes, isAll: read == 0, out var lineEnd);
            if (lineEnd > 0 || read == 0)
            {
                return lineEnd > 0 ? position + end + lineEnd : length;
            }

            // A line end of two bytes may have begun.
            kept = Math.Min(bytes.Length, lineEnds.Longest);
            position += bytes.Length - kept;
            bytes[^kept..].CopyTo(buffer);
        }
    }
}
