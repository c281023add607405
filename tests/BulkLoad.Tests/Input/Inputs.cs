using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Tests.Input;

/// <summary>A record with everything that a reader says about it, comparable by value.</summary>
internal sealed record ReadRecord(
    long Number, long Line, long Offset, string Raw, string Fields, string? Fault)
{
    /// <summary>Fields as <c>bare</c>, <c>"quoted"</c>, <c>\N</c> or <c>-</c> (missing), separated by bars.</summary>
    public static ReadRecord Of(IRecordReader reader)
    {
        var fields = new StringBuilder();
        for (var i = 0; i < reader.FieldCount; i++)
        {
            var kind = reader.GetField(i, out var value);
            var text = Encoding.UTF8.GetString(value);
            fields.Append(i == 0 ? "" : "|").Append(kind switch
            {
                FieldKind.Null => "\\N",
                FieldKind.Missing => "-",
                FieldKind.Quoted or FieldKind.JsonString => $"\"{text}\"",
                _ => text,
            });
        }

        return new ReadRecord(
            reader.RecordNumber,
            reader.LineNumber,
            reader.ByteOffset,
            Encoding.UTF8.GetString(reader.RawRecord),
            fields.ToString(),
            reader.Fault?.Code);
    }
}

/// <summary>Inputs made of text and bytes, and readers on them.</summary>
internal static class Inputs
{
    /// <summary>Sizes of the pieces in which a stream gives its bytes, so that every boundary falls everywhere.</summary>
    public static readonly int[] PieceSizes = [1, 2, 3, 7, 64, 1 << 20];

    public static byte[] Utf8(string text) => Encoding.UTF8.GetBytes(text);

    public static InputFile Open(byte[] bytes, SourceOptions? options = null, int pieceSize = 1 << 20, string name = "in") =>
        InputFile.Open(new PieceStream(bytes, pieceSize), name, options ?? new SourceOptions());

    public static byte[] ReadContent(InputFile input)
    {
        using var copy = new MemoryStream();
        input.Content.CopyTo(copy);
        return copy.ToArray();
    }

    public static IRecordReader Reader(
        byte[] bytes, SourceOptions options, int pieceSize = 1 << 20, IReadOnlyList<string>? fieldNames = null)
    {
        var input = Open(bytes, options, pieceSize);
        var format = options.Format == InputFormat.Auto ? InputFormat.Csv : options.Format;
        var start = new ReaderStart(input.Name, input.ContentOffset);
        return RecordReaders.Create(input.Content, start, Dialect.Of(options, format), fieldNames);
    }

    /// <summary>Reads all records once for each piece size; they are the same each time.</summary>
    public static List<ReadRecord> Records(byte[] bytes, SourceOptions options, IReadOnlyList<string>? fieldNames = null)
    {
        List<ReadRecord>? first = null;
        foreach (var pieceSize in PieceSizes)
        {
            using var reader = Reader(bytes, options, pieceSize, fieldNames);
            var records = new List<ReadRecord>();
            while (reader.Read())
            {
                records.Add(ReadRecord.Of(reader));
            }

            Assert.False(reader.Read());
            first ??= records;
            Assert.Equal(first, records);
        }

        return first!;
    }

    public static List<ReadRecord> Records(string text, SourceOptions options, IReadOnlyList<string>? fieldNames = null) =>
        Records(Utf8(text), options, fieldNames);

    /// <summary>The fields of all records, as <see cref="ReadRecord.Of"/> writes them.</summary>
    public static IEnumerable<string> Fields(string text, SourceOptions options, IReadOnlyList<string>? fieldNames = null) =>
        Records(text, options, fieldNames).Select(record => record.Fields);

    private sealed class PieceStream(byte[] bytes, int pieceSize) : Stream
    {
        private int _position;

        public override bool CanRead => true;

        public override bool CanSeek => false;

        public override bool CanWrite => false;

        public override long Length => throw new NotSupportedException();

        public override long Position
        {
            get => throw new NotSupportedException();
            set => throw new NotSupportedException();
        }

        public override int Read(byte[] buffer, int offset, int count)
        {
            var read = Math.Min(Math.Min(count, pieceSize), bytes.Length - _position);
            bytes.AsSpan(_position, read).CopyTo(buffer.AsSpan(offset));
            _position += read;
            return read;
        }

        public override void Flush()
        {
        }

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
    }
}
