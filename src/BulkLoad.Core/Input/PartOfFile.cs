namespace BulkLoad.Core.Input;

/// <summary>Which part of a file is asked for: one of several of about equal bytes.</summary>
/// <param name="Number">from 1 to <paramref name="Count"/></param>
internal sealed record PartOfFile(int Number, int Count)
{
    /// <summary>Null: the text is no part, such as <c>2/4</c>.</summary>
    public static PartOfFile? Find(string text) =>
        text.Split('/') is [var number, var count]
            && int.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out var one)
            && int.TryParse(count, NumberStyles.None, CultureInfo.InvariantCulture, out var all) && one >= 1 && one <= all
            ? new PartOfFile(one, all) : null;

    /// <summary>Such as <c>2/4</c>.</summary>
    public override string ToString() => $"{Number}/{Count}";
}
