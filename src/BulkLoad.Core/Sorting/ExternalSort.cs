using System.Buffers.Binary;

namespace BulkLoad.Core.Sorting;

/// <summary>Sorts byte strings, each with a number, in about so much memory. What does not fit is written to sorted runs, which are merged
/// at the end, and whenever there are too many. A key may have any length.</summary>
internal sealed class ExternalSort(string folder, int memoryBytes, CancellationToken cancellationToken = default) : IDisposable
{
    /// <summary>Each open run has a buffer.</summary>
    private const int MaxRuns = 64;

    private readonly SortBuffer _buffer = new(memoryBytes);
    private readonly List<List<SortedRun>> _levels = [];
    private readonly int _mostRuns = Math.Clamp(memoryBytes / TempFile.BufferBytes, 2, MaxRuns);

    public bool HasSpilled => _levels.Count > 0;

    public void Add(ReadOnlySpan<byte> key, long number)
    {
        if (!_buffer.TryAdd(key, number))
        {
            AddRun(SortedRun.Write(folder, _buffer.Sort(), cancellationToken), level: 0);
            _buffer.Clear();
            _buffer.TryAdd(key, number);
        }
    }

    /// <summary>All entries in order, to be read once before this is disposed of. Nothing can be added any more.</summary>
    public SortedEntries Sort() => new MergedEntries([.. _levels.SelectMany(level => level), _buffer.Sort()]);

    public void Dispose()
    {
        foreach (var run in _levels.SelectMany(level => level))
        {
            run.Dispose();
        }
    }

    /// <summary>Runs of one level become one of the next, so an entry is written at most once for each level.</summary>
    private void AddRun(SortedRun run, int level)
    {
        if (level == _levels.Count)
        {
            _levels.Add([]);
        }

        var runs = _levels[level];
        runs.Add(run);
        if (runs.Count == _mostRuns)
        {
            var merged = SortedRun.Write(folder, new MergedEntries(runs), cancellationToken);
            runs.ForEach(old => old.Dispose());
            runs.Clear();
            AddRun(merged, level + 1);
        }
    }
}

/// <summary>Sorted entries in a file: the key's length (4 bytes), the number (8 bytes), the key.</summary>
internal sealed class SortedRun : SortedEntries
{
    private const int HeadBytes = sizeof(int) + sizeof(long);

    private readonly string _folder;
    private readonly FileStream _file;
    private byte[] _key = new byte[64];
    private int _length;
    private long _number;

    private SortedRun(string folder, FileStream file)
    {
        _folder = folder;
        _file = file;
    }

    public override ReadOnlySpan<byte> Key => _key.AsSpan(0, _length);

    public override long Number => _number;

    public static SortedRun Write(string folder, SortedEntries entries, CancellationToken cancellationToken = default)
    {
        var file = TempFile.Create(folder);
        try
        {
            Span<byte> head = stackalloc byte[HeadBytes];
            while (entries.Read())
            {
                cancellationToken.ThrowIfCancellationRequested();
                BinaryPrimitives.WriteInt32LittleEndian(head, entries.Key.Length);
                BinaryPrimitives.WriteInt64LittleEndian(head[sizeof(int)..], entries.Number);
                file.Write(head);
                file.Write(entries.Key);
            }

            file.Position = 0;
            return new SortedRun(folder, file);
        }
        catch (IOException fault)
        {
            TempFile.Discard(file);
            throw TempFile.Fault(folder, fault);
        }
        catch
        {
            TempFile.Discard(file);
            throw;
        }
    }

    public override bool Read()
    {
        try
        {
            Span<byte> head = stackalloc byte[HeadBytes];
            if (_file.ReadAtLeast(head, HeadBytes, throwOnEndOfStream: false) == 0)
            {
                return false;
            }

            _length = BinaryPrimitives.ReadInt32LittleEndian(head);
            _number = BinaryPrimitives.ReadInt64LittleEndian(head[sizeof(int)..]);
            if (_key.Length < _length)
            {
                _key = new byte[Math.Max(_length, _key.Length * 2)];
            }

            _file.ReadExactly(_key.AsSpan(0, _length));
            return true;
        }
        catch (IOException fault)
        {
            throw TempFile.Fault(_folder, fault);
        }
    }

    public override void Dispose() => _file.Dispose();
}

/// <summary>Entries by key, byte by byte, then by number. A prefix comes before the longer key.</summary>
internal abstract class SortedEntries : IDisposable
{
    /// <summary>Valid until the next <see cref="Read"/>.</summary>
    public abstract ReadOnlySpan<byte> Key { get; }

    public abstract long Number { get; }

    public abstract bool Read();

    public abstract void Dispose();

    public static int Compare(SortedEntries one, SortedEntries other)
    {
        var order = one.Key.SequenceCompareTo(other.Key);
        return order != 0 ? order : one.Number.CompareTo(other.Number);
    }
}

/// <summary>Merges sorted inputs, which stay the caller's.</summary>
internal sealed class MergedEntries(IReadOnlyList<SortedEntries> inputs) : SortedEntries
{
    private static readonly Comparer<SortedEntries> Order = Comparer<SortedEntries>.Create(Compare);

    private readonly PriorityQueue<SortedEntries, SortedEntries> _waiting = new(inputs.Count, Order);
    private SortedEntries? _current;
    private bool _isBegun;

    public override ReadOnlySpan<byte> Key => _current!.Key;

    public override long Number => _current!.Number;

    public override bool Read()
    {
        if (!_isBegun)
        {
            _isBegun = true;
            foreach (var input in inputs.Where(input => input.Read()))
            {
                _waiting.Enqueue(input, input);
            }
        }
        else if (_current?.Read() == true)
        {
            _current = _waiting.EnqueueDequeue(_current, _current);
            return true;
        }

        return _waiting.TryDequeue(out _current, out _);
    }

    public override void Dispose()
    {
    }
}
