using BulkLoad.Core.Input;

namespace BulkLoad.Core.Values;

/// <summary>The texts that mean NULL in the unquoted fields of one column.</summary>
internal sealed class NullMatcher
{
    private readonly byte[][] _texts;

    /// <summary>By the first byte of a text, whether one of the texts begins so.</summary>
    private readonly bool[] _firsts = new bool[256];

    private readonly bool _hasEmpty;

    public NullMatcher(ValueOptions values, string column)
    {
        _texts =
        [
            .. values.NullTexts
                .Where(text => text.Column is null || text.Column.Equals(column, StringComparison.OrdinalIgnoreCase))
                .Select(text => text.Text).Append(@"\N").Distinct().Select(Encoding.UTF8.GetBytes),
        ];
        foreach (var text in _texts)
        {
            _hasEmpty |= text.Length == 0;
            _firsts[text.FirstOrDefault()] |= text.Length > 0;
        }
    }

    public bool Contain(ReadOnlySpan<byte> text) => text.IsEmpty ? _hasEmpty : _firsts[text[0]] && IsKnown(text);

    private bool IsKnown(ReadOnlySpan<byte> text)
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
