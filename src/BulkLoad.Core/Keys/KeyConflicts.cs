using System.Buffers.Binary;
using BulkLoad.Core.Sorting;

namespace BulkLoad.Core.Keys;

/// <summary>Which record has a key that an earlier record has taken. A refused record takes no key, so that with several keys its outcome
/// decides that of later ones; where the earlier record is undecided, so is what follows from it. Asked record by record in the input's
/// order; two bits are kept for each key that several records have.</summary>
internal sealed class KeyConflicts : IDisposable
{
    /// <summary>An entry is the record's <see cref="RecordId"/>, high byte first, and the key's number; what it goes with is the value's
    /// number.</summary>
    public const int EntryBytes = sizeof(long) + 1;

    private readonly ExternalSort _sort;
    private readonly SortedEntries _entries;
    private readonly BitSet _taken;
    private readonly BitSet _unsure;
    private readonly List<long> _ofRecord = [];
    private bool _hasEntry;

    /// <param name="sort">entries of all records that share a key; owned from here on</param>
    public KeyConflicts(ExternalSort sort, long groups)
    {
        _sort = sort;
        _taken = new BitSet(groups);
        _unsure = new BitSet(groups);
        _entries = sort.Sort();
        _hasEntry = _entries.Read();
    }

    private long Record => BinaryPrimitives.ReadInt64BigEndian(_entries.Key);

    /// <summary>Whether an earlier record may have one of the keys of the record asked for, or has not: nobody here can tell. Most have
    /// none of these keys, and need no delegate.</summary>
    public bool IsUnsure => _ofRecord.Count > 0 && _ofRecord.Exists(_unsure.Has);

    /// <summary>Looks for a key that an earlier record has.</summary>
    /// <param name="record">its <see cref="RecordId"/></param>
    /// <returns>the 0-based number of the first that is taken; -1: none is</returns>
    public int Find(long record)
    {
        var taken = -1;
        _ofRecord.Clear();
        for (; _hasEntry && Record <= record; _hasEntry = _entries.Read())
        {
            if (Record == record)
            {
                _ofRecord.Add(_entries.Number);
                taken = taken < 0 && _taken.Has(_entries.Number) ? _entries.Key[sizeof(long)] : taken;
            }
        }

        return taken;
    }

    /// <summary>The record asked for takes its keys.</summary>
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

    /// <summary>The record asked for has a key that is taken.</summary>
    /// <returns>whether it may be taken all the same, if the server refuses those that have its keys; then its other keys may be taken by
    /// it</returns>
    public bool Refuse()
    {
        if (_ofRecord.Exists(group => _taken.Has(group) && !_unsure.Has(group)))
        {
            return false;
        }

        _ofRecord.ForEach(_unsure.Add);
        return true;
    }

    public void Dispose()
    {
        _entries.Dispose();
        _sort.Dispose();
    }

    private sealed class BitSet(long size)
    {
        private readonly ulong[] _bits = new ulong[(size / 64) + 1];

        public bool Has(long index) => (_bits[index / 64] & (1UL << (int)(index % 64))) != 0;

        public void Add(long index) => _bits[index / 64] |= 1UL << (int)(index % 64);
    }
}
