using System.Runtime.ExceptionServices;

namespace BulkLoad.Core.Input.Streams;

/// <summary>Reads its source on a thread of its own, a few pieces ahead. A decompressor works beside the reader then, and a cancelled read
/// ends although a pipe is silent. Faults come in the place of the bytes that could not be read.</summary>
/// <param name="source">owned; the thread may still read it for a while after this stream is disposed of</param>
/// <param name="direct">so many bytes are read without the thread first: small inputs need none</param>
/// <param name="measure">what <see cref="SourcePosition"/> says; asked on the thread that reads the source</param>
internal sealed class ReadAheadStream(Stream source, long direct, CancellationToken cancellation, Func<long>? measure = null)
    : ForwardStream
{
    private const int PieceBytes = 128 * 1024;

    private readonly Piece[] _pieces = [new(), new(), new(), new()];
    private readonly SemaphoreSlim _full = new(0);
    private readonly CancellationTokenSource _stop = new();
    private SemaphoreSlim? _empty;
    private long _direct = direct;
    private int _next;
    private int _taken;
    private bool _hasPiece;
    private int _users = 1;
    private long _position;

    /// <summary>Of the source, when it had given what was read here so far: the same in each pass. Thread-safe.</summary>
    public long SourcePosition => Volatile.Read(ref _position);

    /// <summary>Opens a pipe, which waits until somebody has opened it to write, on a thread of its own.</summary>
    /// <exception cref="OperationCanceledException">nobody has; the thread still waits</exception>
    public static Stream Open(Func<Stream> open, CancellationToken cancellation)
    {
        var opened = new SemaphoreSlim(0);
        Stream? stream = null;
        ExceptionDispatchInfo? fault = null;
        new Thread(Open) { IsBackground = true, Name = "open" }.Start();
        opened.Wait(cancellation);
        fault?.Throw();
        return stream!;

        void Open()
        {
            try
            {
                stream = open();
            }
            catch (Exception cause)
            {
                fault = ExceptionDispatchInfo.Capture(cause);
            }

            opened.Release();
        }
    }

    public override int Read(Span<byte> buffer)
    {
        if (_direct > 0)
        {
            var read = source.Read(buffer);
            _direct -= read;
            Volatile.Write(ref _position, measure?.Invoke() ?? 0);
            return read;
        }

        if (_empty is null)
        {
            _empty = new SemaphoreSlim(_pieces.Length);
            _users++;
            new Thread(ReadAhead) { IsBackground = true, Name = "read ahead" }.Start();
        }

        if (_hasPiece && _taken == _pieces[_next].Length && _taken > 0)
        {
            _hasPiece = false;
            _next = (_next + 1) % _pieces.Length;
            _empty.Release();
        }

        if (!_hasPiece)
        {
            _full.Wait(cancellation);
            (_hasPiece, _taken) = (true, 0);
        }

        // The piece of a fault, or of the end, is the last one and stays.
        var piece = _pieces[_next];
        Volatile.Write(ref _position, piece.Position);
        piece.Fault?.Throw();
        var count = Math.Min(buffer.Length, piece.Length - _taken);
        piece.Bytes.AsSpan(_taken, count).CopyTo(buffer);
        _taken += count;
        return count;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing && !_stop.IsCancellationRequested)
        {
            _stop.Cancel();
            Leave();
        }

        base.Dispose(disposing);
    }

    private void ReadAhead()
    {
        try
        {
            for (var at = 0; ; at = (at + 1) % _pieces.Length)
            {
                _empty!.Wait(_stop.Token);
                var piece = _pieces[at];
                Fill(piece);
                _full.Release();
                if (piece.Length == 0)
                {
                    break;
                }
            }
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            // Nobody reads any more.
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Who leaves last disposes of the source.</summary>
    private void Leave()
    {
        if (Interlocked.Decrement(ref _users) == 0)
        {
            source.Dispose();
        }
    }

    private void Fill(Piece piece)
    {
        try
        {
            piece.Bytes ??= GC.AllocateUninitializedArray<byte>(PieceBytes);
            piece.Length = source.Read(piece.Bytes, 0, PieceBytes);
        }
        catch (Exception fault)
        {
            // Any: the reader gets it, as if it had read itself.
            (piece.Length, piece.Fault) = (0, ExceptionDispatchInfo.Capture(fault));
        }

        piece.Position = measure?.Invoke() ?? 0;
    }

    private sealed class Piece
    {
        public byte[]? Bytes { get; set; }

        public int Length { get; set; }

        public long Position { get; set; }

        public ExceptionDispatchInfo? Fault { get; set; }
    }
}
