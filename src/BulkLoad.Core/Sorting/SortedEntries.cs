namespace BulkLoad.Core.Sorting;

/// <summary>
/// Entries in order: by key, byte by byte, a key before those that it begins; equal keys by number. Read one by one.
/// </summary>
internal abstract class SortedEntries : IDisposable
{
    /// <summary>The current entry's key; valid until the next <see cref="Read"/>.</summary>
    public abstract ReadOnlySpan<byte> Key { get; }

    public abstract long Number { get; }

    /// <summary>Goes to the next entry.</summary>
    /// <returns>whether there is one</returns>
    /// <exception cref="TempFileException">what was put aside cannot be read</exception>
    public abstract bool Read();

    public abstract void Dispose();

    public static int Compare(SortedEntries one, SortedEntries other)
    {
        var order = one.Key.SequenceCompareTo(other.Key);
        return order != 0 ? order : one.Number.CompareTo(other.Number);
    }
}
