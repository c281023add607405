using System.Buffers;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Keys;

/// <summary>Watches whether every key rises from record to record, so that no two records have one in common. Asked in the input's order,
/// as long as keys rise. A key that is NULL or made by the server is skipped.</summary>
/// <remarks>The bytes of equal keys are equal, so any order of the bytes can tell; for each type there is the one in which files
/// come.</remarks>
internal sealed class KeyWatch(IReadOnlyList<ComparedKey> keys)
{
    private readonly WatchedKey[] _keys = [.. keys.Select(key => new WatchedKey(key))];

    /// <returns>false: a key of the block does not rise</returns>
    public bool Rises(RowBlock block) => Array.TrueForAll(_keys, key => key.Rises(block));

    /// <summary>Reads until a key does not rise, or may be equal to another one by its collation.</summary>
    /// <returns>whether no two records have the same key</returns>
    public static async Task<bool> AreDistinctAsync(ComparedKey key, IAsyncEnumerable<RowBlock> input)
    {
        if (!key.CanBeConclusive)
        {
            return false;
        }

        var watched = new WatchedKey(key);
        await foreach (var block in input)
        {
            if (!watched.Rises(block) || !watched.AreConclusive)
            {
                return false;
            }
        }

        return true;
    }

    private sealed class WatchedKey(ComparedKey key)
    {
        private ArrayBufferWriter<byte> _last = new();
        private ArrayBufferWriter<byte> _value = new();
        private bool _hasLast;

        /// <summary>Whether values that are different here are different to the server.</summary>
        public bool AreConclusive { get; private set; } = true;

        public bool Rises(RowBlock block)
        {
            var last = _last.WrittenSpan;
            var isOfBlock = false;
            for (var row = 0; row < block.RowCount; row++)
            {
                if (key.Read(block, row, _value, out var value, out var isConclusive) != KeyState.Known)
                {
                    continue;
                }

                AreConclusive &= isConclusive;

                if (_hasLast && key.Compare(value, last) <= 0)
                {
                    return false;
                }

                last = value;
                _hasLast = true;
                isOfBlock = _value.WrittenCount == 0;
                if (!isOfBlock)
                {
                    (_last, _value) = (_value, _last);
                }
            }

            if (isOfBlock)
            {
                _last.ResetWrittenCount();
                _last.Write(last);
            }

            return true;
        }
    }
}
