namespace BulkLoad.Core.Schema;

/// <summary>One column of a key.</summary>
/// <param name="Column">its name; null: an expression</param>
/// <param name="Prefix">only so many of its characters or bytes count; null: all</param>
internal sealed record KeyPart(string? Column, int? Prefix = null);

/// <summary>A primary or unique key.</summary>
/// <param name="Name">as the server names it, such as <c>PRIMARY</c></param>
/// <param name="Parts">in the key's order</param>
internal sealed record UniqueKey(string Name, IReadOnlyList<KeyPart> Parts)
{
    /// <summary>The columns that stand in it by themselves.</summary>
    public IEnumerable<string> Columns => Parts.Select(part => part.Column).OfType<string>();
}
