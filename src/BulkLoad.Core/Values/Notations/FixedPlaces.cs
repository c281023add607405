namespace BulkLoad.Core.Values.Notations;

/// <summary>A pattern in which every digit has its place, such as <c>dd.MM.yyyy HH:mm</c>: its digits are moved, and not read as numbers
/// and written again.</summary>
internal sealed class FixedPlaces
{
    private const string Standard = "0000-00-00 00:00:00";
    private const int TimeAt = 11;

    /// <summary>By place in the text: the place of the digit in <see cref="_form"/>, or less than 0 for a literal.</summary>
    private readonly sbyte[] _targets;

    /// <summary>By place in the text: the literal there.</summary>
    private readonly byte[] _literals;

    private readonly byte[] _form;

    private FixedPlaces(sbyte[] targets, byte[] literals, byte[] form) => (_targets, _literals, _form) = (targets, literals, form);

    /// <summary>Null: the pattern has a part that is no fixed number of digits.</summary>
    public static FixedPlaces? Of(IReadOnlyList<PatternToken> tokens)
    {
        List<sbyte> targets = [];
        List<byte> literals = [];
        foreach (var (part, count, text) in tokens)
        {
            if (part == PatternPart.Literal)
            {
                targets.AddRange(text.Select(_ => (sbyte)-1));
                literals.AddRange(text);
                continue;
            }

            if (PlaceOf(part) is not { } place || count != (part == PatternPart.Year4 ? 4 : 2) || targets.Contains((sbyte)place))
            {
                return null;
            }

            targets.AddRange(Enumerable.Range(place, count).Select(at => (sbyte)at));
            literals.AddRange(new byte[count]);
        }

        bool Has(PatternPart part) => targets.Contains((sbyte)PlaceOf(part)!.Value);
        bool[] date = [Has(PatternPart.Year4), Has(PatternPart.Month), Has(PatternPart.Day)];
        var hasTime = Has(PatternPart.Hour24);
        if (date.Distinct().Count() > 1 || (!date[0] && !hasTime))
        {
            return null;
        }

        var start = date[0] ? 0 : TimeAt;
        var form = Encoding.ASCII.GetBytes(Standard[start..(hasTime ? Standard.Length : TimeAt - 1)]);
        return new FixedPlaces([.. targets.Select(target => target < 0 ? target : (sbyte)(target - start))], [.. literals], form);
    }

    /// <summary>The text in the standard form; false: it is not of the pattern.</summary>
    /// <param name="room">gets the value</param>
    /// <param name="length">of the value</param>
    public bool TryMove(ReadOnlySpan<byte> text, Span<byte> room, out int length)
    {
        length = _form.Length;
        if (text.Length != _targets.Length)
        {
            return false;
        }

        _form.CopyTo(room);
        var wrong = 0;
        for (var i = 0; i < text.Length; i++)
        {
            var target = _targets[i];
            if (target >= 0)
            {
                wrong |= (uint)(text[i] - '0') > 9 ? 1 : 0;
                room[target] = text[i];
            }
            else
            {
                wrong |= text[i] ^ _literals[i];
            }
        }

        return wrong == 0;
    }

    private static int? PlaceOf(PatternPart part) => part switch
    {
        PatternPart.Year4 => 0,
        PatternPart.Month => 5,
        PatternPart.Day => 8,
        PatternPart.Hour24 => TimeAt,
        PatternPart.Minute => TimeAt + 3,
        PatternPart.Second => TimeAt + 6,
        _ => null,
    };
}
