using System.Buffers.Binary;

namespace BulkLoad.Core.Sorting;

/// <summary>Sorts what is known by its first bytes: these are compared as numbers, and only where they are the same anybody is asked for
/// the rest.</summary>
internal static class PrefixSort
{
    /// <summary>Sorts both by the prefixes, and items of the same prefix as they say themselves.</summary>
    /// <param name="prefixes">one for each item</param>
    /// <param name="ties">the order of two items with the same prefix; no two are equal</param>
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

    /// <summary>Orders as the key does, as far as eight bytes go; what is beyond a short key counts as zeros.</summary>
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
