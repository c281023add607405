using System.Runtime.ExceptionServices;

namespace BulkLoad.Core.Input.Streams;

/// <summary>Gives the next bytes before they are read. Owns its source.</summary>
internal sealed class LookAheadStream(Stream source) : OwningStream(source)
{
    /// <summary>Bytes of an input that are sampled; more only if the first record is larger.</summary>
    public const int SampleBytes = 256 * 1024;

    private const int MinRoom = 4 * 1024;

    private byte[] _ahead = [];
    private int _start;
    private int _end;
    private ExceptionDispatchInfo? _fault;

    /// <summary>At least <paramref name="count"/> bytes unless the input ends; they stay to be read. Valid until the next call.</summary>
    public ReadOnlyMemory<byte> Peek(int count)
    {
        while (_end - _start < count)
        {
            if (_end == _ahead.Length)
            {
                // Small files, of which there may be many, need little memory.
                MakeRoomFor(Math.Min(count, Math.Max(MinRoom, 4 * (_end - _start))));
            }

            var read = ReadSource(_ahead.AsSpan(_end));
            if (read == 0)
            {
                break;
            }

            _end += read;
        }

        return _ahead.AsMemory(_start, _end - _start);
    }

    public void Skip(int count)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _end - _start);
        _start += count;
    }

    /// <summary>Puts bytes that were read back before the next ones.</summary>
    public void GiveBack(ReadOnlySpan<byte> bytes)
    {
        byte[] all = [.. bytes, .. _ahead.AsSpan(_start, _end - _start)];
        (_ahead, _start, _end) = (all, 0, all.Length);
    }

    public override int Read(Span<byte> buffer)
    {
        if (_start == _end)
        {
            // A drained buffer is released: what was peeked may be large and is not needed again.
            _ahead = [];
            _start = _end = 0;
            return ReadSource(buffer);
        }

        var count = Math.Min(buffer.Length, _end - _start);
        _ahead.AsSpan(_start, count).CopyTo(buffer);
        _start += count;
        return count;
    }

    /// <summary>A fault comes again: after it, a source may seem to have ended.</summary>
    private int ReadSource(Span<byte> buffer)
    {
        _fault?.Throw();
        try
        {
            return Source.Read(buffer);
        }
        catch (InputException fault)
        {
            _fault = ExceptionDispatchInfo.Capture(fault);
            throw;
        }
    }

    private void MakeRoomFor(int count)
    {
        var present = _ahead.AsSpan(_start, _end - _start);
        var target = _ahead.Length >= count ? _ahead : new byte[count];
        present.CopyTo(target);
        _end = present.Length;
        _start = 0;
        _ahead = target;
    }
}
