using System.Buffers;
using System.Buffers.Binary;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sorting;

namespace BulkLoad.Core.Keys;

/// <summary>Reads the keys of all rows of the inputs and sorts them, so that equal ones are neighbours.</summary>
/// <param name="keys">at most 256</param>
internal sealed class KeyCollector(IReadOnlyList<ComparedKey> keys, string folder, int memoryBytes) : IDisposable
{
    /// <summary>Usually few keys are equal.</summary>
    private const int ShareOfConflicts = 4;

    private readonly ExternalSort _sort = new(folder, memoryBytes);
    private readonly ArrayBufferWriter<byte> _value = new();

    public async Task AddAsync(IAsyncEnumerable<RowBlock> input, Action<long>? onTaken = null)
    {
        await foreach (var block in input)
        {
            for (var row = 0; row < block.RowCount; row++)
            {
                Add(block, row);
            }

            onTaken?.Invoke(block.RecordCount);
        }
    }

    /// <summary>The records that share a key with another one, in the input's order.</summary>
    public KeyConflicts FindConflicts()
    {
        var groups = 0L;
        var byRecord = CollectRepeats((into, repeat) =>
        {
            if (repeat.IsSecond)
            {
                AddConflict(into, repeat.Before, repeat.Key, groups++);
            }

            AddConflict(into, repeat.Record, repeat.Key, groups - 1);
        });
        return new KeyConflicts(byRecord, groups);
    }

    /// <summary>For a single key: the records that another one with the same key replaces, in the input's order.</summary>
    /// <param name="lastCounts">true: the last record of each key counts; false: the first</param>
    public RepeatedKeys FindRepeated(bool lastCounts) => new(CollectRepeats((into, repeat) =>
    {
        Span<byte> entry = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64BigEndian(entry, lastCounts ? repeat.Before : repeat.Record);
        into.Add(entry, 0);
    }));

    public void Dispose() => _sort.Dispose();

    private void Add(RowBlock block, int row)
    {
        for (var key = 0; key < keys.Count; key++)
        {
            _value.ResetWrittenCount();
            _value.GetSpan(1)[0] = (byte)key;
            _value.Advance(1);
            if (keys[key].Write(block, row, _value, out _) == KeyState.Known)
            {
                _sort.Add(_value.WrittenSpan, RecordId.Of(block.Source, block.Record(row)));
            }
        }
    }

    /// <param name="add">called for each record that has the key of the one before it</param>
    private ExternalSort CollectRepeats(Action<ExternalSort, (long Record, long Before, byte Key, bool IsSecond)> add)
    {
        var byRecord = new ExternalSort(folder, memoryBytes / ShareOfConflicts);
        try
        {
            var key = new ArrayBufferWriter<byte>();
            var (before, isRepeat) = (0L, false);
            using var sorted = _sort.Sort();
            while (sorted.Read())
            {
                var isSecond = !isRepeat;
                isRepeat = key.WrittenCount > 0 && sorted.Key.SequenceEqual(key.WrittenSpan);
                if (isRepeat)
                {
                    add(byRecord, (sorted.Number, before, sorted.Key[0], isSecond));
                }
                else
                {
                    key.ResetWrittenCount();
                    key.Write(sorted.Key);
                }

                before = sorted.Number;
            }

            return byRecord;
        }
        catch
        {
            byRecord.Dispose();
            throw;
        }
    }

    private static void AddConflict(ExternalSort byRecord, long record, byte key, long group)
    {
        Span<byte> entry = stackalloc byte[KeyConflicts.EntryBytes];
        BinaryPrimitives.WriteInt64BigEndian(entry, record);
        entry[sizeof(long)] = key;
        byRecord.Add(entry, group);
    }
}

/// <summary>Tells whether an earlier record has taken a key of a record. A refused record takes none, so with several keys its outcome
/// decides about later ones; while it is undecided, so are these. Asked in the input's order. Two bits for each such key.</summary>
internal sealed class KeyConflicts : IDisposable
{
    /// <summary>An entry is the record's <see cref="RecordId"/>, high byte first, and the key's number; its value is the number of the
    /// key's value.</summary>
    public const int EntryBytes = sizeof(long) + 1;

    private readonly RepeatedKeys _entries;
    private readonly BitSet _taken;
    private readonly BitSet _unsure;
    private readonly List<long> _ofRecord = [];

    /// <param name="sort">entries of all records that share a key; owned from here on</param>
    public KeyConflicts(ExternalSort sort, long groups)
    {
        _taken = new BitSet(groups);
        _unsure = new BitSet(groups);
        _entries = new RepeatedKeys(sort);
    }

    /// <summary>Whether an earlier record may have a key of the current one. Most records need no delegate here.</summary>
    public bool IsUnsure => _ofRecord.Count > 0 && _ofRecord.Exists(_unsure.Has);

    /// <returns>the 0-based number of the first taken key; -1: none is</returns>
    public int Find(long record)
    {
        var taken = -1;
        _ofRecord.Clear();
        for (; _entries.Has(record); _entries.Skip())
        {
            _ofRecord.Add(_entries.Number);
            taken = taken < 0 && _taken.Has(_entries.Number) ? _entries.Key : taken;
        }

        return taken;
    }

    public void Take(bool isSure)
    {
        foreach (var group in _ofRecord)
        {
            _taken.Add(group);
            if (!isSure)
            {
                _unsure.Add(group);
            }
        }
    }

    /// <summary>Called if a key of the current record is taken.</summary>
    /// <returns>whether the server may still accept it, by refusing those with its keys; it may then take its other keys</returns>
    public bool Refuse()
    {
        if (_ofRecord.Exists(group => _taken.Has(group) && !_unsure.Has(group)))
        {
            return false;
        }

        _ofRecord.ForEach(_unsure.Add);
        return true;
    }

    public void Dispose() => _entries.Dispose();

    private sealed class BitSet(long size)
    {
        private readonly ulong[] _bits = new ulong[(size / 64) + 1];

        public bool Has(long index) => (_bits[index / 64] & (1UL << (int)(index % 64))) != 0;

        public void Add(long index) => _bits[index / 64] |= 1UL << (int)(index % 64);
    }
}

/// <summary>The records that have the key of an earlier one. Asked in the input's order.</summary>
internal sealed class RepeatedKeys : IDisposable
{
    private readonly ExternalSort _sort;
    private readonly SortedEntries _entries;
    private bool _hasEntry;

    /// <param name="sort">an entry for each such record: its <see cref="RecordId"/>, high byte first; owned from here on</param>
    public RepeatedKeys(ExternalSort sort)
    {
        _sort = sort;
        try
        {
            _entries = sort.Sort();
            Skip();
        }
        catch
        {
            sort.Dispose();
            throw;
        }
    }

    /// <param name="folder">nothing is written there</param>
    public static RepeatedKeys None(string folder) => new(new ExternalSort(folder, memoryBytes: 0));

    /// <summary>Value of the current entry, at which the last question stopped.</summary>
    public long Number => _entries.Number;

    /// <summary>The byte after the record in the current entry.</summary>
    public byte Key => _entries.Key[sizeof(long)];

    private long Record => BinaryPrimitives.ReadInt64BigEndian(_entries.Key);

    /// <param name="record">a <see cref="RecordId"/>, not smaller than the last one</param>
    public bool Has(long record)
    {
        while (_hasEntry && Record < record)
        {
            Skip();
        }

        return _hasEntry && Record == record;
    }

    /// <summary>Goes to the next entry: a record may have several.</summary>
    public void Skip() => _hasEntry = _entries.Read();

    public void Dispose()
    {
        _entries.Dispose();
        _sort.Dispose();
    }
}

/// <summary>One number for a record of all inputs, in their order.</summary>
internal static class RecordId
{
    private const int RecordBits = 40;

    public static long Of(int source, long record) => ((long)source << RecordBits) | record;
}
