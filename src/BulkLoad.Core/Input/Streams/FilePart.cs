namespace BulkLoad.Core.Input.Streams;

/// <summary>A part of a plain file, found: the records that begin in a range of its bytes, with what is before the first record of the
/// file. Its <see cref="Stream"/> gives both, one behind the other.</summary>
/// <param name="HeadEnd">where the file's first record begins</param>
/// <param name="From">where the part's first record begins</param>
/// <param name="To">where the next part's first record begins, or the file's length</param>
/// <param name="FileLength">in bytes</param>
internal sealed record FilePart(PartOfFile Asked, long HeadEnd, long From, long To, long FileLength)
{
    /// <summary>Lines of the file between its first record and the part's; null: nobody has counted them.</summary>
    public long? LinesBefore { get; init; }

    /// <summary>Hash of the file's first record; null: there is none.</summary>
    public string? FirstRecord { get; init; }

    /// <summary>Bytes of head and part.</summary>
    public long Length => HeadEnd + To - From;

    /// <summary>What an offset in the part's bytes lacks to be one in the file, from the part's first record on.</summary>
    public long Shift => From - HeadEnd;
}

/// <summary>Head and part of a file, one behind the other. Owns the file.</summary>
internal sealed class PartStream(Stream file, FilePart part) : OwningStream(file)
{
    private long _position;

    public override int Read(Span<byte> buffer)
    {
        var isHead = _position < part.HeadEnd;
        if (_position == part.HeadEnd)
        {
            Source.Seek(part.From, SeekOrigin.Begin);
        }

        var left = (isHead ? part.HeadEnd : part.Length) - _position;
        var read = Source.Read(buffer[..(int)Math.Min(buffer.Length, left)]);
        _position += read;
        return read;
    }
}
