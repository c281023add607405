using BulkLoad.Core.Schema;

namespace BulkLoad.Tests.Values.Cases;

/// <summary>
/// What each column type takes and refuses. The test of the rules, the test of both servers by all strategies, and the tables of
/// docs/values.md are made from it.
/// </summary>
internal static class ValueCases
{
    public static IReadOnlyList<ValueGroup> All { get; } =
        [.. NumberCases.All, .. OtherCases.All, .. TextCases.All, .. FormatCases.All, .. MoreCases.All];

    /// <summary>A nullable column <c>v</c>.</summary>
    public static TableColumn Column(ColumnKind kind) =>
        new() { Name = "v", TypeText = "", Kind = kind, IsNullable = true, Default = ColumnDefault.Null };
}
