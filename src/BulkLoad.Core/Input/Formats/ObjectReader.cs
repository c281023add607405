using System.Buffers.Binary;

namespace BulkLoad.Core.Input.Formats;

/// <summary>How objects are handed to the reading side: <see cref="ObjectReader"/> reads what <see cref="BulkRowWriter"/> writes. First
/// comes the number of records before the first one (8 bytes), whether the fields have names (1 byte), and a record of the names, or of as
/// many empty fields. A record is the length of its fields (4 bytes) and these; a field is the length of its value plus 1, or 0 for NULL,
/// and the value. Lengths of fields have 7 bits in each byte, the lowest first; other numbers are little-endian.</summary>
internal static class ObjectForm
{
    public const int HeadBytes = 9;

    public const int LengthBytes = 4;

    /// <summary>The most bytes that the length of a field takes.</summary>
    public const int MaxFieldLengthBytes = 5;

    /// <returns>bytes that were written</returns>
    public static int WriteLength(Span<byte> to, uint length)
    {
        var written = 0;
        for (; length >= 0x80; length >>= 7)
        {
            to[written++] = (byte)(length | 0x80);
        }

        to[written++] = (byte)length;
        return written;
    }

    /// <param name="at">moved behind the length</param>
    /// <exception cref="InputException">the bytes were not written by <see cref="BulkRowWriter"/></exception>
    public static int ReadLength(ReadOnlySpan<byte> from, ref int at)
    {
        long length = 0;
        for (var shift = 0; shift < 7 * MaxFieldLengthBytes && at < from.Length; shift += 7)
        {
            long next = from[at++];
            length |= (next & 0x7F) << shift;
            if (next < 0x80)
            {
                return length - 1 <= from.Length - at ? (int)length : throw Broken();
            }
        }

        throw Broken();
    }

    public static InputException Broken() => new("the objects are not as they were written");
}

/// <summary>Reads records of objects, which have numbers and no lines.</summary>
internal sealed class ObjectReader : IRecordReader
{
    /// <summary>With what is before it, it must fit into an array.</summary>
    private const int MaxLength = int.MaxValue / 2;

    private readonly RecordBuffer _buffer;
    private readonly int _maxRecordBytes;
    private readonly (int Start, int Length)[] _fields;
    private int _consumed;
    private int _length;

    public ObjectReader(Stream content, ReaderStart start, Dialect dialect)
    {
        _buffer = new RecordBuffer(content, start.ByteOffset, start.Origin);
        _maxRecordBytes = dialect.MaxRecordBytes;
        Require(ObjectForm.HeadBytes + ObjectForm.LengthBytes);
        RecordNumber = BinaryPrimitives.ReadInt64LittleEndian(_buffer.Unread) is >= 0 and <= long.MaxValue / 2 and var before
            ? before : throw ObjectForm.Broken();
        var hasNames = _buffer.Unread[ObjectForm.HeadBytes - 1] != 0;
        _buffer.Consume(ObjectForm.HeadBytes);
        var length = ReadRecordLength();
        Require(ObjectForm.LengthBytes + length);
        var names = ReadNames(_buffer.Unread.Slice(ObjectForm.LengthBytes, length));
        _fields = new (int, int)[names.Count];
        FieldNames = hasNames ? names : null;
        _consumed = ObjectForm.LengthBytes + length;
    }

    public IReadOnlyList<string>? FieldNames { get; }

    public RecordFault? Fault { get; private set; }

    public int FieldCount => _fields.Length;

    public long RecordNumber { get; private set; }

    public long ByteOffset { get; private set; }

    /// <summary>The fields with their lengths: a record of objects is never read from its text.</summary>
    public ReadOnlySpan<byte> RawRecord =>
        Fault is null ? _buffer.Unread.Slice(ObjectForm.LengthBytes, _length) : [];

    public bool Read()
    {
        _buffer.Consume(_consumed);
        (_consumed, Fault, ByteOffset) = (0, null, _buffer.Offset);
        if (_buffer.Unread.IsEmpty && !_buffer.Fill())
        {
            return false;
        }

        Require(ObjectForm.LengthBytes);
        RecordNumber++;
        _length = ReadRecordLength();
        if (_length > _maxRecordBytes)
        {
            Skip();
            return true;
        }

        Require(ObjectForm.LengthBytes + _length);
        _consumed = ObjectForm.LengthBytes + _length;
        var bytes = _buffer.Unread[.._consumed];
        var at = ObjectForm.LengthBytes;
        for (var i = 0; i < _fields.Length; i++)
        {
            var length = ObjectForm.ReadLength(bytes, ref at) - 1;
            _fields[i] = (at, length);
            at += Math.Max(0, length);
        }

        return true;
    }

    public FieldKind GetField(int index, out ReadOnlySpan<byte> value)
    {
        var (start, length) = _fields[index];
        if (length < 0)
        {
            value = default;
            return FieldKind.Null;
        }

        value = _buffer.Unread.Slice(start, length);
        return FieldKind.Quoted;
    }

    private int ReadRecordLength() => BinaryPrimitives.ReadInt32LittleEndian(_buffer.Unread) is >= 0 and <= MaxLength and var length
        ? length : throw ObjectForm.Broken();

    private static List<string> ReadNames(ReadOnlySpan<byte> bytes)
    {
        List<string> names = [];
        for (var at = 0; at < bytes.Length;)
        {
            var length = Math.Max(0, ObjectForm.ReadLength(bytes, ref at) - 1);
            names.Add(Encoding.UTF8.GetString(bytes.Slice(at, length)));
            at += length;
        }

        return names;
    }

    /// <summary>Skips an object that is too large; the next one begins behind it.</summary>
    private void Skip()
    {
        Fault = RecordFaults.TooLarge(_maxRecordBytes, 0);
        _buffer.Consume(ObjectForm.LengthBytes);
        for (var left = _length; left > 0;)
        {
            Require(1);
            var count = Math.Min(left, _buffer.Unread.Length);
            _buffer.Consume(count);
            left -= count;
        }
    }

    private void Require(int bytes)
    {
        while (_buffer.Unread.Length < bytes)
        {
            if (!_buffer.Fill())
            {
                throw new InputException("an object ends too early") { IsCutOff = true };
            }
        }
    }
}
