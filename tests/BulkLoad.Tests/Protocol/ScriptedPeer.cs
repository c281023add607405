namespace BulkLoad.Tests.Protocol;

/// <summary>
/// A server that follows a script, in memory and without threads: every call of the client's runs on until it waits for
/// something that is not in the script. Then <see cref="End"/> ends the conversation.
/// </summary>
internal sealed class ScriptedPeer(Script script, int mostBytesARead = int.MaxValue) : Stream
{
    private readonly List<byte> _written = [];
    private readonly List<byte[]> _heard = [];
    private ReadOnlyMemory<byte> _saying;
    private int _turn;
    private int _parsed;
    private int _answered;
    private bool _hasEnded;
    private TaskCompletionSource? _reading;

    /// <summary>The payloads of the client's packets.</summary>
    public IReadOnlyList<byte[]> Heard => _heard;

    /// <summary>The sequence ids of the client's packets.</summary>
    public List<byte> HeardSequences { get; } = [];

    /// <summary>All that the client wrote, as it was on the wire.</summary>
    public ReadOnlySpan<byte> Written => System.Runtime.InteropServices.CollectionsMarshal.AsSpan(_written);

    public bool IsClosed { get; private set; }

    /// <summary>Called with each of the client's packets.</summary>
    public Action<byte[]>? OnHeard { get; set; }

    /// <summary>How often the client wrote.</summary>
    public int Writes { get; private set; }

    /// <summary>What a write waits for before it does anything, as for room in a socket.</summary>
    public Func<Task> Room { get; set; } = () => Task.CompletedTask;

    /// <summary>What a write waits for when the peer has its bytes already, as for a thread to go on with it.</summary>
    public Func<Task> Notice { get; set; } = () => Task.CompletedTask;

    /// <summary>Whether writes fail, as after a reset of the connection.</summary>
    public Func<bool> WritesFail { get; set; } = () => false;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <summary>Closes the server's side.</summary>
    public void End()
    {
        _hasEnded = true;
        _reading?.TrySetResult();
    }

    /// <summary>Says something that is not in the script.</summary>
    public void Say(byte[] bytes)
    {
        _saying = bytes;
        _reading?.TrySetResult();
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            ObjectDisposedException.ThrowIf(IsClosed, this);
            if (!_saying.IsEmpty)
            {
                var count = Math.Min(Math.Min(buffer.Length, _saying.Length), mostBytesARead);
                _saying[..count].CopyTo(buffer);
                _saying = _saying[count..];
                return count;
            }

            if (_hasEnded || _turn == script.Turns.Count)
            {
                return 0;
            }

            if (_heard.Count - _answered >= script.Turns[_turn].Hears)
            {
                _answered += script.Turns[_turn].Hears;
                _saying = script.Turns[_turn++].Says;
                continue;
            }

            _reading = new TaskCompletionSource();
            using (cancellationToken.Register(() => _reading.TrySetCanceled(cancellationToken)))
            {
                await _reading.Task;
            }
        }
    }

    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        await Room().WaitAsync(cancellationToken);
        cancellationToken.ThrowIfCancellationRequested();
        ObjectDisposedException.ThrowIf(IsClosed, this);
        if (WritesFail())
        {
            throw new IOException("connection reset by peer");
        }

        Writes++;
        _written.AddRange(buffer.Span);
        while (Written.Length - _parsed >= 4)
        {
            var header = Written[_parsed..];
            var length = header[0] | (header[1] << 8) | (header[2] << 16);
            if (header.Length < 4 + length)
            {
                break;
            }

            HeardSequences.Add(header[3]);
            var payload = header.Slice(4, length).ToArray();
            _parsed += 4 + length;
            _heard.Add(payload);
            OnHeard?.Invoke(payload);
        }

        _reading?.TrySetResult();
        await Notice().WaitAsync(cancellationToken);
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        IsClosed = true;
        _reading?.TrySetException(new ObjectDisposedException(nameof(ScriptedPeer)));
        base.Dispose(disposing);
    }
}
