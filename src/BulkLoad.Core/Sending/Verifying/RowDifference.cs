namespace BulkLoad.Core.Sending.Verifying;

/// <summary>A row of a block that does not stand in the table as it should.</summary>
/// <param name="Row">0-based in its block</param>
/// <param name="Code">stable kebab-case word</param>
/// <param name="Column">that differs; null: the row as a whole, or nobody asked</param>
/// <param name="Message">for people</param>
internal sealed record RowDifference(int Row, string Code, string? Column, string Message)
{
    public const string MissingCode = "missing-row";

    public const string DiffersCode = "different-row";

    public const string SeveralCode = "several-rows";

    /// <summary>Whether a reject's reason is one of these.</summary>
    public static bool IsCode(string reason) => reason is MissingCode or DiffersCode or SeveralCode;
}

/// <summary>What a comparison of rows came to.</summary>
/// <param name="Equal">rows that stand in the table as they should</param>
/// <param name="Undecided">rows of which that cannot be told: they have no key but the one that the server makes, or a value that it does</param>
/// <param name="Differences">all others, in order</param>
internal readonly record struct ComparedRows(long Equal, IReadOnlyList<int> Undecided, IReadOnlyList<RowDifference> Differences);
