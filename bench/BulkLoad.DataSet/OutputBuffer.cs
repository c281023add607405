using System.Buffers;

namespace BulkLoad.DataSet;

/// <summary>Bytes on their way to a stream, which it owns and closes.</summary>
internal sealed class OutputBuffer(Stream stream) : IDisposable
{
    private byte[] _bytes = ArrayPool<byte>.Shared.Rent(256 * 1024);
    private int _length;

    public void Append(byte value)
    {
        if (_length == _bytes.Length)
        {
            Flush();
        }

        _bytes[_length++] = value;
    }

    /// <summary>Up to the buffer's size at once.</summary>
    public void Append(ReadOnlySpan<byte> text)
    {
        if (text.Length > _bytes.Length - _length)
        {
            Flush();
        }

        text.CopyTo(_bytes.AsSpan(_length));
        _length += text.Length;
    }

    public void Dispose()
    {
        Flush();
        stream.Dispose();
        ArrayPool<byte>.Shared.Return(_bytes);
        _bytes = [];
    }

    private void Flush()
    {
        stream.Write(_bytes, 0, _length);
        _length = 0;
    }
}
