namespace BulkLoad.Core.Planning;

/// <summary>A primary or unique key.</summary>
/// <param name="Name">as the server names it, such as <c>PRIMARY</c></param>
/// <param name="Columns">in the key's order; empty names stand for expressions</param>
internal sealed record UniqueKey(string Name, IReadOnlyList<string> Columns);
