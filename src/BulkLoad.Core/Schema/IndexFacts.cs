namespace BulkLoad.Core.Schema;

/// <summary>A unique or secondary index, as the server writes it.</summary>
/// <param name="Name">as the server has it, without quotes</param>
/// <param name="Kind">the word before KEY, such as <c>UNIQUE</c>; empty: an ordinary one</param>
/// <param name="Text">its line of SHOW CREATE TABLE without the comma</param>
internal sealed record IndexDefinition(string Name, string Kind, string Text);

/// <summary>An index that stays where others are dropped before a load.</summary>
/// <param name="Name">as the server has it</param>
/// <param name="Reason">for people</param>
public sealed record KeptIndex(string Name, string Reason);

/// <summary>What can be dropped of a table's indexes before a load, and added again just as it was.</summary>
/// <param name="Dropped">in the table's order</param>
/// <param name="Kept">all others but the primary key</param>
internal sealed record IndexFacts(IReadOnlyList<IndexDefinition> Dropped, IReadOnlyList<KeptIndex> Kept)
{
    /// <summary>Rows of the table, about, as the server estimates them; null: it does not say.</summary>
    public long? Rows { get; init; }

    /// <summary>Whether the table has an index of that name; the server does not tell apart capitals.</summary>
    public bool Has(string name) =>
        Dropped.Select(index => index.Name).Concat(Kept.Select(index => index.Name)).Contains(name, StringComparer.OrdinalIgnoreCase);
}
