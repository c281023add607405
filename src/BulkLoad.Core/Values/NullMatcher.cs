using BulkLoad.Core.Input;

namespace BulkLoad.Core.Values;

/// <summary>The texts that mean NULL in the unquoted fields of one column.</summary>
internal sealed class NullMatcher(ValueOptions values, string column)
{
    private readonly byte[][] _texts =
    [
        .. values.NullTexts
            .Where(text => text.Column is null || text.Column.Equals(column, StringComparison.OrdinalIgnoreCase))
            .Select(text => text.Text).Append(@"\N").Distinct().Select(Encoding.UTF8.GetBytes),
    ];

    public bool Contain(ReadOnlySpan<byte> text)
    {
        foreach (var known in _texts)
        {
            if (text.SequenceEqual(known))
            {
                return true;
            }
        }

        return false;
    }
}
