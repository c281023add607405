using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Library;

/// <summary>The records of a caller's sequence, as <see cref="Input.Formats.ObjectForm"/> has them. One thread of its own reads it
/// (<see cref="ReadAheadStream"/>), so that it may wait for a sequence that waits. Disposing of it ends the sequence.</summary>
internal abstract class ObjectStream(string name, IReadOnlyList<string> columns, bool areKnown, long before) : ForwardStream
{
    private const int NotBegun = 0, Begun = 1, Abandoned = 2;

    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _state;
    private int _taken;
    private bool _isLast;

    /// <summary>What the sequence has thrown; null: nothing.</summary>
    public Exception? Fault { get; private set; }

    /// <summary>Complete when the sequence was ended, and nobody uses it any more.</summary>
    public Task Ended => _ended.Task;

    protected BulkRowWriter Writer { get; } = new();

    protected IReadOnlyList<string> Columns => columns;

    /// <summary>The object of a record; null: it is settled, or objects are not kept.</summary>
    /// <param name="record">its 1-based number</param>
    public abstract object? Find(long record);

    /// <summary>Forgets the objects of records before that one.</summary>
    public abstract void Release(long record);

    /// <summary>Ends a sequence that nobody has begun to read: what opened this stream disposes of it otherwise.</summary>
    public void Abandon()
    {
        if (Interlocked.CompareExchange(ref _state, Abandoned, NotBegun) == NotBegun)
        {
            Dispose();
        }
    }

    public override int Read(Span<byte> buffer)
    {
        switch (Interlocked.CompareExchange(ref _state, Begun, NotBegun))
        {
            case Abandoned: return 0;
            case NotBegun: Writer.BeginStream(before, columns, areKnown); break;
        }

        if (_taken == Writer.Length)
        {
            Fill(buffer.Length);
        }

        var count = Math.Min(buffer.Length, Writer.Length - _taken);
        Writer.Bytes.Slice(_taken, count).CopyTo(buffer);
        _taken += count;
        return count;
    }

    /// <summary>Writes the next object. Null: it is not there yet, and what was written need not wait for it.</summary>
    /// <param name="mayWait">whether nothing was written</param>
    protected abstract bool? WriteNext(bool mayWait);

    protected abstract void End();

    protected override void Dispose(bool disposing)
    {
        if (disposing && !_ended.Task.IsCompleted)
        {
            try
            {
                End();
            }
            catch (Exception fault)
            {
                // Any: it is the caller's, and the first one counts.
                Fault ??= fault;
            }

            _ended.TrySetResult();
        }

        base.Dispose(disposing);
    }

    private void Fill(int bytes)
    {
        Writer.Clear();
        _taken = 0;
        try
        {
            while (!_isLast && Writer.Length < bytes)
            {
                if (WriteNext(mayWait: Writer.Length == 0) is not { } isThere)
                {
                    break;
                }

                _isLast = !isThere;
            }
        }
        catch (Exception fault)
        {
            // Any: the sequence is the caller's, who gets it as it is.
            Fault = fault;
            throw new InputException($"{name}: the sequence has failed: {fault.Message}", fault);
        }
    }
}

/// <summary>Keeps a caller's objects until their records are settled. One thread adds, another asks.</summary>
/// <param name="before">number of records before the first object</param>
internal sealed class ObjectWindow<T>(long before)
{
    private readonly Lock _lock = new();
    private T[] _objects = new T[1024];
    private long _first = before + 1;
    private long _next = before + 1;

    public void Add(T one)
    {
        lock (_lock)
        {
            if (_next - _first == _objects.Length)
            {
                var larger = new T[_objects.Length * 2];
                for (var record = _first; record < _next; record++)
                {
                    larger[record % larger.Length] = _objects[record % _objects.Length];
                }

                _objects = larger;
            }

            _objects[_next++ % _objects.Length] = one;
        }
    }

    public object? Find(long record)
    {
        lock (_lock)
        {
            return record >= _first && record < _next ? _objects[record % _objects.Length] : null;
        }
    }

    public void Release(long record)
    {
        lock (_lock)
        {
            for (; _first < record && _first < _next; _first++)
            {
                _objects[_first % _objects.Length] = default!;
            }
        }
    }
}

/// <summary>A sequence that is read.</summary>
/// <param name="write">writes the values of an object</param>
/// <param name="window">keeps objects for rejects; null: nobody asks for them</param>
internal abstract class ObjectStream<T>(
    string name, IReadOnlyList<string> columns, bool areKnown, long before, Action<BulkRowWriter, T> write, ObjectWindow<T>? window)
    : ObjectStream(name, columns, areKnown, before)
{
    public override object? Find(long record) => window?.Find(record);

    public override void Release(long record) => window?.Release(record);

    protected void Write(T one)
    {
        if (one is null)
        {
            throw new InvalidOperationException("an object is null");
        }

        window?.Add(one);
        Writer.BeginRecord();
        write(Writer, one);
        Writer.EndRecord(Columns.Count);
    }
}

internal sealed class SequenceStream<T>(
    string name, IReadOnlyList<string> columns, bool areKnown, long before, IEnumerable<T> sequence, Action<BulkRowWriter, T> write,
    ObjectWindow<T>? window) : ObjectStream<T>(name, columns, areKnown, before, write, window)
{
    private IEnumerator<T>? _sequence;

    protected override bool? WriteNext(bool mayWait)
    {
        _sequence ??= sequence.GetEnumerator();
        if (!_sequence.MoveNext())
        {
            return false;
        }

        Write(_sequence.Current);
        return true;
    }

    protected override void End() => _sequence?.Dispose();
}

/// <param name="stop">given to the sequence</param>
internal sealed class AsyncSequenceStream<T>(
    string name, IReadOnlyList<string> columns, bool areKnown, long before, IAsyncEnumerable<T> sequence, Action<BulkRowWriter, T> write,
    ObjectWindow<T>? window, CancellationToken stop) : ObjectStream<T>(name, columns, areKnown, before, write, window)
{
    private IAsyncEnumerator<T>? _sequence;
    private Task<bool>? _next;

    protected override bool? WriteNext(bool mayWait)
    {
        _sequence ??= sequence.GetAsyncEnumerator(stop);
        if (_next is null)
        {
            var next = _sequence.MoveNextAsync();
            if (next.IsCompletedSuccessfully)
            {
                return Take(next.Result);
            }

            _next = next.AsTask();
        }

        if (!_next.IsCompleted && !mayWait)
        {
            return null;
        }

        var isThere = _next.GetAwaiter().GetResult();
        _next = null;
        return Take(isThere);
    }

    private bool Take(bool isThere)
    {
        if (isThere)
        {
            Write(_sequence!.Current);
        }

        return isThere;
    }

    protected override void End()
    {
        if (_next is not null)
        {
            // An iterator may not be disposed of while it runs; it was told to stop.
            ((IAsyncResult)_next).AsyncWaitHandle.WaitOne();
        }

        _sequence?.DisposeAsync().AsTask().GetAwaiter().GetResult();
    }
}
