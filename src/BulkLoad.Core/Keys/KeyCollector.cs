using System.Buffers;
using System.Buffers.Binary;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sorting;

namespace BulkLoad.Core.Keys;

/// <summary>A pass over the inputs: the keys of all rows, sorted, so that equal ones are side by side.</summary>
/// <param name="keys">at most 256</param>
internal sealed class KeyCollector(IReadOnlyList<ComparedKey> keys, string folder, int memoryBytes) : IDisposable
{
    /// <summary>Equal keys are few as a rule.</summary>
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

    /// <summary>The records that share a key with another, in the input's order.</summary>
    public KeyConflicts FindConflicts()
    {
        var byRecord = new ExternalSort(folder, memoryBytes / ShareOfConflicts);
        try
        {
            return new KeyConflicts(byRecord, AddConflicts(byRecord));
        }
        catch
        {
            byRecord.Dispose();
            throw;
        }
    }

    /// <summary>The records that have the key of an earlier one, or of a later one, in the input's order; of a single key.</summary>
    /// <param name="lastCounts">whether they are those before the last one with their key; else those behind the first</param>
    public RepeatedKeys FindRepeated(bool lastCounts)
    {
        var byRecord = new ExternalSort(folder, memoryBytes / ShareOfConflicts);
        try
        {
            AddRepeated(byRecord, lastCounts);
            return new RepeatedKeys(byRecord);
        }
        catch
        {
            byRecord.Dispose();
            throw;
        }
    }

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

    private void AddRepeated(ExternalSort byRecord, bool lastCounts)
    {
        Span<byte> entry = stackalloc byte[sizeof(long)];
        var previous = new ArrayBufferWriter<byte>();
        var previousRecord = 0L;
        using var sorted = _sort.Sort();
        while (sorted.Read())
        {
            if (previous.WrittenCount > 0 && sorted.Key.SequenceEqual(previous.WrittenSpan))
            {
                BinaryPrimitives.WriteInt64BigEndian(entry, lastCounts ? previousRecord : sorted.Number);
                byRecord.Add(entry, 0);
                previousRecord = sorted.Number;
                continue;
            }

            previousRecord = sorted.Number;
            previous.ResetWrittenCount();
            previous.Write(sorted.Key);
        }
    }

    /// <returns>how many different keys several records have</returns>
    private long AddConflicts(ExternalSort byRecord)
    {
        var groups = 0L;
        var isGroup = false;
        var previous = Array.Empty<byte>();
        var previousLength = -1;
        var previousRecord = 0L;
        using var sorted = _sort.Sort();
        while (sorted.Read())
        {
            if (previousLength >= 0 && sorted.Key.SequenceEqual(previous.AsSpan(0, previousLength)))
            {
                if (!isGroup)
                {
                    isGroup = true;
                    AddConflict(byRecord, previousRecord, sorted.Key[0], groups++);
                }

                AddConflict(byRecord, sorted.Number, sorted.Key[0], groups - 1);
                continue;
            }

            isGroup = false;
            previousLength = sorted.Key.Length;
            previousRecord = sorted.Number;
            previous = previous.Length >= previousLength ? previous : new byte[previousLength * 2];
            sorted.Key.CopyTo(previous);
        }

        return groups;
    }

    private static void AddConflict(ExternalSort byRecord, long record, byte key, long group)
    {
        Span<byte> entry = stackalloc byte[KeyConflicts.EntryBytes];
        BinaryPrimitives.WriteInt64BigEndian(entry, record);
        entry[sizeof(long)] = key;
        byRecord.Add(entry, group);
    }
}
