namespace BulkLoad.Core.Strategies;

/// <summary>Rows that the server took, by what became of each when it was its turn.</summary>
/// <param name="Inserted">as new rows</param>
/// <param name="Updated">into rows that were there and are others now</param>
/// <param name="Unchanged">into rows that were there and had the same values already</param>
/// <param name="Ignored">for which a row was there, and was left alone</param>
internal readonly record struct TakenRows(long Inserted, long Updated = 0, long Unchanged = 0, long Ignored = 0)
{
    public long Count => Inserted + Updated + Unchanged + Ignored;

    public static TakenRows operator +(TakenRows one, TakenRows other) => new(
        one.Inserted + other.Inserted, one.Updated + other.Updated, one.Unchanged + other.Unchanged, one.Ignored + other.Ignored);
}
