using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace BulkLoad.Core.Protocol;

/// <summary>Reads packets, and joins those that were split (MySQL client/server protocol, "MySQL Packets"). Memory grows with the bytes
/// that arrive, not with what a header claims.</summary>
internal sealed class PacketReader(Stream stream)
{
    /// <summary>A packet of this length is continued by the next one.</summary>
    public const int MaxPacketPayload = 0xffffff;

    private const int HeaderLength = 4;
    private const int BufferLength = 32 * 1024;
    private const int GrowthStep = 64 * 1024;
    private const int JoinedLengthToKeep = 4 * 1024 * 1024;

    private readonly byte[] _buffer = new byte[BufferLength];
    private byte[] _joined = [];
    private int _start;
    private int _end;
    private Task<int>? _ahead;
    private bool _isFirst;
    private Timer? _timer;
    private TimeSpan _limit = Timeout.InfiniteTimeSpan;
    private Func<Exception>? _fault;
    private volatile bool _isOverdue;

    /// <summary>The id that the next packet must have.</summary>
    public byte Sequence { get; private set; }

    /// <summary>Whether the last packet was an error that the server sent before it received the command, such as MySQL's 4031 (idle for
    /// too long) or MariaDB's 1927 (killed). Its id is 0, or one less than expected.</summary>
    public bool IsClosingError { get; private set; }

    /// <summary>False only while a broken connection is searched for the server's last error.</summary>
    public bool ChecksSequence { get; set; } = true;

    public bool HasBuffered => _end > _start;

    public bool HasPacket => Buffered >= HeaderLength && Buffered >= HeaderLength + PeekLength();

    private int Buffered => _end - _start;

    private bool IsLong => Buffered >= HeaderLength && HeaderLength + PeekLength() > BufferLength;

    /// <summary>The next packet answers a command with this id; it may be a farewell instead.</summary>
    public void BeginAnswer(byte sequence)
    {
        Sequence = sequence;
        _isFirst = true;
        IsClosingError = false;
    }

    /// <summary>The next payload, joined, of at most <paramref name="limit"/> bytes; valid until the next call.</summary>
    public ValueTask<ReadOnlyMemory<byte>> ReadAsync(int limit, CancellationToken cancellationToken)
    {
        if (TryRead(limit, out var payload))
        {
            return new(payload);
        }

        var receiving = IsLong ? ValueTask.CompletedTask : ReceiveAsync(cancellationToken);
        return receiving.IsCompletedSuccessfully && TryTake(limit, out payload)
            ? new(payload)
            : WaitAsync(receiving, limit, cancellationToken);
    }

    /// <summary>The next payload if it has arrived in one piece.</summary>
    public bool TryRead(int limit, out ReadOnlyMemory<byte> payload)
    {
        if (_joined.Length > JoinedLengthToKeep)
        {
            _joined = [];
        }

        return TryTake(limit, out payload);
    }

    /// <summary>Starts a read, so that an answer is noticed while something is written.</summary>
    public Task WatchAsync(CancellationToken cancellationToken)
    {
        if (HasBuffered)
        {
            return Task.CompletedTask;
        }

        _start = _end = 0;
        return _ahead ??= stream.ReadAsync(_buffer, cancellationToken).AsTask();
    }

    // Pooled, as all that waits for an answer: in a pipeline there is one for each row.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadOnlyMemory<byte>> WaitAsync(ValueTask receiving, int limit, CancellationToken cancellationToken)
    {
        await receiving;
        ReadOnlyMemory<byte> payload;
        while (!TryTake(limit, out payload))
        {
            if (IsLong)
            {
                return await JoinAsync(limit, cancellationToken);
            }

            await ReceiveAsync(cancellationToken);
        }

        return payload;
    }

    private bool TryTake(int limit, out ReadOnlyMemory<byte> payload)
    {
        payload = default;
        if (Buffered < HeaderLength)
        {
            return false;
        }

        var length = PeekLength();
        RequireWithin(limit, length);
        if (Buffered < HeaderLength + length)
        {
            return false;
        }

        IsClosingError = _isFirst && length > 0 && _buffer[_start + HeaderLength] == ErrorPacket.Header && IsUnasked(_buffer[_start + 3]);
        TakeHeader(limit, 0);
        payload = _buffer.AsMemory(_start, length);
        _start += length;
        return true;
    }

    private async ValueTask<ReadOnlyMemory<byte>> JoinAsync(int limit, CancellationToken cancellationToken)
    {
        var total = 0;
        int length;
        do
        {
            while (Buffered < HeaderLength)
            {
                await ReceiveAsync(cancellationToken);
            }

            length = TakeHeader(limit, total);
            for (var end = total + length; total < end;)
            {
                total += await CopyAsync(total, end - total, limit, cancellationToken);
            }
        }
        while (length == MaxPacketPayload);

        return _joined.AsMemory(0, total);
    }

    private async ValueTask<int> CopyAsync(int offset, int wanted, int limit, CancellationToken cancellationToken)
    {
        if (offset == _joined.Length)
        {
            Array.Resize(ref _joined, (int)Math.Min(limit, Math.Max(GrowthStep, offset * 2L)));
        }

        var room = _joined.AsMemory(offset, Math.Min(wanted, _joined.Length - offset));
        if (!HasBuffered)
        {
            return await ReadSomeAsync(room, cancellationToken);
        }

        var count = Math.Min(room.Length, Buffered);
        _buffer.AsSpan(_start, count).CopyTo(room.Span);
        _start += count;
        return count;
    }

    /// <summary>Limits the wait for bytes. Beyond it <paramref name="close"/> is called, and <paramref name="fault"/> thrown.</summary>
    public void Bound(TimeSpan? limit, Action close, Func<Exception> fault)
    {
        (_limit, _fault) = (limit ?? Timeout.InfiniteTimeSpan, fault);
        if (limit is not null)
        {
            _timer ??= new Timer(_ =>
            {
                _isOverdue = true;
                close();
            });
        }
    }

    private ValueTask ReceiveAsync(CancellationToken cancellationToken)
    {
        if (_ahead is { } ahead)
        {
            return ReceiveAsync(ahead, cancellationToken);
        }

        if (_start > 0)
        {
            _buffer.AsSpan(_start, Buffered).CopyTo(_buffer);
            _end -= _start;
            _start = 0;
        }

        var reading = ReadSomeAsync(_buffer.AsMemory(_end), cancellationToken);
        if (!reading.IsCompletedSuccessfully)
        {
            return ReceiveAsync(reading);
        }

        _end += reading.Result;
        return ValueTask.CompletedTask;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask ReceiveAsync(ValueTask<int> reading) => _end += await reading;

    // A read-ahead has the token of its own start.
    private async ValueTask ReceiveAsync(Task<int> ahead, CancellationToken cancellationToken)
    {
        _timer?.Change(_limit, Timeout.InfiniteTimeSpan);
        try
        {
            var count = await ahead.WaitAsync(cancellationToken);
            _ahead = null;
            _end += RequireSome(count);
        }
        catch (Exception) when (_isOverdue)
        {
            throw _fault!();
        }
        finally
        {
            _timer?.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }
    }

    private ValueTask<int> ReadSomeAsync(Memory<byte> target, CancellationToken cancellationToken)
    {
        var reading = stream.ReadAsync(target, cancellationToken);
        return reading.IsCompletedSuccessfully ? new(RequireSome(reading.Result)) : WaitForSomeAsync(reading);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<int> WaitForSomeAsync(ValueTask<int> reading)
    {
        if (_limit == Timeout.InfiniteTimeSpan)
        {
            return RequireSome(await reading);
        }

        _timer!.Change(_limit, Timeout.InfiniteTimeSpan);
        try
        {
            return RequireSome(await reading);
        }
        catch (Exception) when (_isOverdue)
        {
            throw _fault!();
        }
        finally
        {
            _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }
    }

    private static int RequireSome(int count) =>
        count > 0 ? count : throw new ServerException(FaultKind.SessionLost, "the server closed the connection");

    private int TakeHeader(int limit, int joined)
    {
        var length = PeekLength();
        RequireWithin(limit, (long)joined + length);
        var sequence = _buffer[_start + 3];
        if (ChecksSequence && sequence != Sequence && !IsClosingError)
        {
            throw ProtocolViolation.Of($"packet {sequence} came where {Sequence} was due");
        }

        _isFirst = false;
        Sequence++;
        _start += HeaderLength;
        return length;
    }

    private bool IsUnasked(byte sequence) => sequence != Sequence && (sequence == 0 || sequence == (byte)(Sequence - 1));

    private int PeekLength() => _buffer[_start] | (_buffer[_start + 1] << 8) | (_buffer[_start + 2] << 16);

    private static void RequireWithin(int limit, long length)
    {
        if (length > limit)
        {
            throw ProtocolViolation.Of($"an answer is longer than the {limit} bytes that are accepted here");
        }
    }
}

internal static class ProtocolViolation
{
    public static ServerException Of(string what) => new(FaultKind.Protocol, $"the server broke the client/server protocol: {what}");

    public static void ThrowIf([DoesNotReturnIf(true)] bool isBroken, string what)
    {
        if (isBroken)
        {
            throw Of(what);
        }
    }
}
