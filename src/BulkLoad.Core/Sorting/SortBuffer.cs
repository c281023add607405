using System.Buffers.Binary;

namespace BulkLoad.Core.Sorting;

/// <summary>Entries in memory, within a budget for keys and overhead. One entry may exceed it.</summary>
internal sealed class SortBuffer(int memoryBytes)
{
    private const int EntryBytes = 28;

    private byte[] _keys = new byte[256];
    private Entry[] _entries = new Entry[16];
    private ulong[] _prefixes = new ulong[16];
    private int[] _order = [];
    private int _length;

    public int Count { get; private set; }

    /// <summary>False: the budget is used up, and nothing was added.</summary>
    public bool TryAdd(ReadOnlySpan<byte> key, long number)
    {
        if (Count > 0 && _length + (long)key.Length + ((Count + 1L) * EntryBytes) > memoryBytes)
        {
            return false;
        }

        if (_keys.Length - _length < key.Length)
        {
            Array.Resize(ref _keys, (int)Math.Max((long)_length + key.Length, Math.Min((long)_keys.Length * 2, memoryBytes)));
        }

        if (Count == _entries.Length)
        {
            var room = Math.Max(Count + 1, Math.Min(Count * 2, memoryBytes / EntryBytes));
            Array.Resize(ref _entries, room);
            Array.Resize(ref _prefixes, room);
        }

        key.CopyTo(_keys.AsSpan(_length));
        _prefixes[Count] = PrefixSort.PrefixOf(key);
        _entries[Count++] = new Entry(_length, key.Length, number);
        _length += key.Length;
        return true;
    }

    /// <summary>Valid until the buffer changes.</summary>
    public SortedEntries Sort()
    {
        if (_order.Length < Count)
        {
            _order = new int[_entries.Length];
        }

        for (var i = 0; i < Count; i++)
        {
            _order[i] = i;
        }

        PrefixSort.Sort(_prefixes.AsSpan(0, Count), _order.AsSpan(0, Count), Comparer<int>.Create(Compare));
        return new Cursor(this);
    }

    public void Clear() => (_length, Count) = (0, 0);

    private int Compare(int x, int y)
    {
        var order = KeyOf(_entries[x]).SequenceCompareTo(KeyOf(_entries[y]));
        order = order != 0 ? order : _entries[x].Number.CompareTo(_entries[y].Number);
        return order != 0 ? order : x.CompareTo(y);
    }

    private ReadOnlySpan<byte> KeyOf(Entry entry) => _keys.AsSpan(entry.Start, entry.Length);

    private readonly record struct Entry(int Start, int Length, long Number);

    private sealed class Cursor(SortBuffer buffer) : SortedEntries
    {
        private int _at = -1;

        public override ReadOnlySpan<byte> Key => buffer.KeyOf(Current);

        public override long Number => Current.Number;

        private Entry Current => buffer._entries[buffer._order[_at]];

        public override bool Read() => ++_at < buffer.Count;

        public override void Dispose()
        {
        }
    }
}

/// <summary>Sorts by the first eight bytes as numbers. Only ties are compared further.</summary>
internal static class PrefixSort
{
    /// <summary>Sorts both spans by the prefixes. <paramref name="ties"/> orders two different values with the same prefix.</summary>
    public static void Sort(Span<ulong> prefixes, Span<int> items, IComparer<int> ties)
    {
        if (!Rise(prefixes))
        {
            prefixes.Sort(items);
        }

        for (int from = 0, to; from < prefixes.Length; from = to)
        {
            for (to = from + 1; to < prefixes.Length && prefixes[to] == prefixes[from];)
            {
                to++;
            }

            if (to - from > 1)
            {
                items[from..to].Sort(ties);
            }
        }
    }

    /// <summary>In the order of the keys, as far as eight bytes go. A short key is filled with zeros.</summary>
    public static ulong PrefixOf(ReadOnlySpan<byte> key)
    {
        Span<byte> prefix = stackalloc byte[sizeof(ulong)];
        prefix.Clear();
        key[..Math.Min(key.Length, prefix.Length)].CopyTo(prefix);
        return BinaryPrimitives.ReadUInt64BigEndian(prefix);
    }

    private static bool Rise(ReadOnlySpan<ulong> prefixes)
    {
        for (var i = 1; i < prefixes.Length; i++)
        {
            if (prefixes[i] < prefixes[i - 1])
            {
                return false;
            }
        }

        return true;
    }
}
