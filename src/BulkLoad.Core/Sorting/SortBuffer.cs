using System.Buffers.Binary;

namespace BulkLoad.Core.Sorting;

/// <summary>Entries in memory, within a budget.</summary>
/// <param name="memoryBytes">bytes of keys and of what is kept beside them; a single entry may exceed it</param>
internal sealed class SortBuffer(int memoryBytes)
{
    private const int EntryBytes = 32;

    private byte[] _keys = new byte[256];
    private Entry[] _entries = new Entry[16];
    private int _length;

    public int Count { get; private set; }

    /// <returns>false: the budget is used up, and nothing was added</returns>
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
            Array.Resize(ref _entries, Math.Max(Count + 1, Math.Min(Count * 2, memoryBytes / EntryBytes)));
        }

        key.CopyTo(_keys.AsSpan(_length));
        _entries[Count++] = new Entry(PrefixOf(key), _length, key.Length, number);
        _length += key.Length;
        return true;
    }

    /// <summary>Everything in order; valid until the buffer changes.</summary>
    public SortedEntries Sort()
    {
        _entries.AsSpan(0, Count).Sort(new Order(_keys));
        return new Cursor(this);
    }

    public void Clear() => (_length, Count) = (0, 0);

    /// <summary>Orders as the key does, as far as eight bytes go; what is beyond a short key counts as zeros.</summary>
    private static ulong PrefixOf(ReadOnlySpan<byte> key)
    {
        Span<byte> prefix = stackalloc byte[sizeof(ulong)];
        prefix.Clear();
        key[..Math.Min(key.Length, prefix.Length)].CopyTo(prefix);
        return BinaryPrimitives.ReadUInt64BigEndian(prefix);
    }

    private readonly record struct Entry(ulong Prefix, int Start, int Length, long Number)
    {
        public ReadOnlySpan<byte> Key(byte[] keys) => keys.AsSpan(Start, Length);
    }

    private readonly struct Order(byte[] keys) : IComparer<Entry>
    {
        public int Compare(Entry x, Entry y)
        {
            var order = x.Prefix.CompareTo(y.Prefix);
            order = order != 0 ? order : x.Key(keys).SequenceCompareTo(y.Key(keys));
            return order != 0 ? order : x.Number.CompareTo(y.Number);
        }
    }

    private sealed class Cursor(SortBuffer buffer) : SortedEntries
    {
        private int _at = -1;

        public override ReadOnlySpan<byte> Key => buffer._entries[_at].Key(buffer._keys);

        public override long Number => buffer._entries[_at].Number;

        public override bool Read() => ++_at < buffer.Count;

        public override void Dispose()
        {
        }
    }
}
