using System.Buffers.Binary;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.Arm;
using System.Runtime.Intrinsics.X86;

namespace BulkLoad.Core.Values.Notations;

/// <summary>A pattern in which every digit has its place, such as <c>dd.MM.yyyy HH:mm</c>: its digits are moved, and not read as numbers
/// and written again.</summary>
internal sealed class FixedPlaces
{
    private const string Standard = "0000-00-00 00:00:00";
    private const int TimeAt = 11;

    /// <summary>Bytes of two vectors, which may all be written to.</summary>
    private const int MaxWide = 32;

    /// <summary>No byte of the text goes to this place.</summary>
    private const byte NoPlace = 0xff;

    /// <summary>By place in the text: the place of the digit in <see cref="_form"/>; negative: a literal.</summary>
    private readonly sbyte[] _targets;

    /// <summary>By place in the text: the literal there.</summary>
    private readonly byte[] _literals;

    private readonly byte[] _form;

    /// <summary>Whether the text is read as the vectors <see cref="Front"/> and <see cref="Back"/>.</summary>
    private readonly bool _isWide;

    /// <summary>By place in either vector of the text: what is subtracted, and the maximum that may remain.</summary>
    private readonly (Vector128<byte> Base, Vector128<byte> Max) _front;
    private readonly (Vector128<byte> Base, Vector128<byte> Max) _back;

    /// <summary>The first and the second half of the result: the place in either vector of the text from which each byte comes, and what is
    /// added.</summary>
    private readonly (Vector128<byte> FromFront, Vector128<byte> FromBack, Vector128<byte> Form) _first;
    private readonly (Vector128<byte> FromFront, Vector128<byte> FromBack, Vector128<byte> Form) _second;

    private FixedPlaces(sbyte[] targets, byte[] literals, byte[] form)
    {
        (_targets, _literals, _form) = (targets, literals, form);
        _isWide = (Ssse3.IsSupported || AdvSimd.Arm64.IsSupported) && targets.Length is >= sizeof(ulong) and <= MaxWide;
        if (!_isWide)
        {
            return;
        }

        byte[] bases = [.. targets.Select((target, at) => target >= 0 ? (byte)'0' : literals[at])];
        byte[] most = [.. targets.Select(target => target >= 0 ? (byte)9 : (byte)0)];
        byte[] places = [.. Enumerable.Range(0, targets.Length).Select(at => (byte)at)];
        (_front, _back) = ((Front(bases), Front(most)), (Back(bases), Back(most)));
        var (front, back) = (Front(places), Back(places));
        _first = HalfAt(0);
        _second = HalfAt(Vector128<byte>.Count);

        (Vector128<byte>, Vector128<byte>, Vector128<byte>) HalfAt(int start)
        {
            Span<byte> fromFront = stackalloc byte[Vector128<byte>.Count];
            Span<byte> fromBack = stackalloc byte[Vector128<byte>.Count];
            Span<byte> added = stackalloc byte[Vector128<byte>.Count];
            fromFront.Fill(NoPlace);
            fromBack.Fill(NoPlace);
            for (var i = 0; i < Vector128<byte>.Count && start + i < form.Length; i++)
            {
                added[i] = form[start + i];
                if (Array.IndexOf(targets, (sbyte)(start + i)) is >= 0 and var at)
                {
                    var (inFront, inBack) = (PlaceIn(front, at), PlaceIn(back, at));
                    (fromFront[i], fromBack[i]) = inFront != NoPlace ? (inFront, NoPlace) : (NoPlace, inBack);
                }
            }

            return (Vector128.Create<byte>(fromFront), Vector128.Create<byte>(fromBack), Vector128.Create<byte>(added));
        }
    }

    /// <summary>Null: the pattern has a part without a fixed number of digits.</summary>
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

    /// <summary>The text in the standard form; false: it does not match the pattern.</summary>
    /// <param name="room">gets the value; <see cref="ValueNotation.MaxBytes"/></param>
    /// <param name="length">of the value</param>
    public bool TryMove(ReadOnlySpan<byte> text, Span<byte> room, out int length)
    {
        length = _form.Length;
        return text.Length == _targets.Length && (_isWide ? TryMoveWide(text, room) : TryMoveBytes(text, room));
    }

    private bool TryMoveBytes(ReadOnlySpan<byte> text, Span<byte> room)
    {
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

    /// <summary>Makes digits their values and literals 0, so that one comparison checks both, and adds them to the zeros of the standard
    /// form.</summary>
    private bool TryMoveWide(ReadOnlySpan<byte> text, Span<byte> room)
    {
        var front = Front(text) - _front.Base;
        var back = Back(text) - _back.Base;
        if (!Vector128.LessThanOrEqualAll(front, _front.Max) || !Vector128.LessThanOrEqualAll(back, _back.Max))
        {
            return false;
        }

        (Shuffle(front, _first.FromFront) + Shuffle(back, _first.FromBack) + _first.Form).CopyTo(room);
        if (_form.Length > Vector128<byte>.Count)
        {
            (Shuffle(front, _second.FromFront) + Shuffle(back, _second.FromBack) + _second.Form)
                .CopyTo(room[Vector128<byte>.Count..]);
        }

        return true;
    }

    /// <summary>Bytes of a vector in the order of <paramref name="places"/>, and 0 for <see cref="NoPlace"/>. The library's own method is a
    /// loop where the places are no constants.</summary>
    private static Vector128<byte> Shuffle(Vector128<byte> bytes, Vector128<byte> places) =>
        Ssse3.IsSupported ? Ssse3.Shuffle(bytes, places) : AdvSimd.Arm64.VectorTableLookup(bytes, places);

    /// <summary>The first 16 bytes; of a shorter text the first and the last 8, which may overlap.</summary>
    private static Vector128<byte> Front(ReadOnlySpan<byte> text) => text.Length >= Vector128<byte>.Count
        ? Vector128.Create(text)
        : Vector128.Create(
            BinaryPrimitives.ReadUInt64LittleEndian(text), BinaryPrimitives.ReadUInt64LittleEndian(text[^sizeof(ulong)..])).AsByte();

    /// <summary>The last 16 bytes, as <see cref="Front"/> has the first.</summary>
    private static Vector128<byte> Back(ReadOnlySpan<byte> text) =>
        text.Length >= Vector128<byte>.Count ? Vector128.Create(text[^Vector128<byte>.Count..]) : Front(text);

    private static byte PlaceIn(Vector128<byte> places, int at)
    {
        for (var i = 0; i < Vector128<byte>.Count; i++)
        {
            if (places[i] == at)
            {
                return (byte)i;
            }
        }

        return NoPlace;
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
