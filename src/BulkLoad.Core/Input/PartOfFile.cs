namespace BulkLoad.Core.Input;

/// <summary>Which part of a file is asked for: one of several of about equal bytes.</summary>
/// <param name="Number">from 1 to <paramref name="Count"/></param>
internal sealed record PartOfFile(int Number, int Count)
{
    /// <summary>Such as <c>2/4</c>.</summary>
    public override string ToString() => $"{Number}/{Count}";
}
