using System.Buffers;
using System.Buffers.Text;
using System.Text.Json;
using System.Text.Unicode;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Values.Rules;

/// <summary>MySQL's JSON (MySQL manual, "The JSON Data Type"; RFC 8259): a document that the server gives back equal. The server would
/// silently keep the last of doubled keys, and the nearest double of a number that is not a 64-bit integer. The canonical value is the text
/// as it is.</summary>
internal sealed class JsonRule : ValueRule
{
    private const int MaxDepth = 100;
    private const int MaxKeyBytes = 65_535;
    private const int LongestEscape = 6;

    private static readonly JsonReaderState InitialState = new(new JsonReaderOptions { MaxDepth = MaxDepth + 1 });

    private static readonly ValueFault NotJson = new("not-json", "is not a JSON document");
    private static readonly ValueFault LoneSurrogate = new(
        "not-json", "is not a JSON document: it has half a surrogate pair (\\uD800 to \\uDFFF)");
    private static readonly ValueFault DuplicateKey = new(
        "duplicate-name", "has an object with the same key twice, of which the server would keep one");
    private static readonly ValueFault InexactNumber = new(
        "inexact-number", "has a number that the server would change: it keeps 64-bit integers and the nearest double of all others");
    private static readonly ValueFault TooDeep = new("too-deep", "is nested more than 100 levels deep");
    private static readonly ValueFault KeyTooLong = new("too-long", "has a key of more than 65535 bytes");

    private readonly JsonKeyStack _keys = new();
    private byte[] _unescaped = [];

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        if (!Utf8.IsValid(text))
        {
            return ValueFault.InvalidText;
        }

        try
        {
            if (FindFault(text) is { } fault)
            {
                return fault;
            }
        }
        catch (JsonException)
        {
            return NotJson;
        }
        catch (InvalidOperationException)
        {
            // The exception of Utf8JsonReader.CopyString for half a surrogate pair.
            return LoneSurrogate;
        }

        block.AddValue(text);
        return null;
    }

    /// <summary>A string is a document too: it becomes a JSON string, and not what its text would be.</summary>
    /// <param name="text">valid UTF-8, unescaped</param>
    public override ValueFault? AddString(ReadOnlySpan<byte> text, RowBlock block)
    {
        var escapes = 0;
        foreach (var sign in text)
        {
            escapes += JsonSyntax.Special.Contains(sign) ? 1 : 0;
        }

        var room = block.Reserve(text.Length + (escapes * (LongestEscape - 1)) + 2);
        var length = 0;
        room[length++] = (byte)'"';
        for (var next = text.IndexOfAny(JsonSyntax.Special); next >= 0; next = text.IndexOfAny(JsonSyntax.Special))
        {
            text[..next].CopyTo(room[length..]);
            length += next;
            length += WriteEscape(text[next], room[length..]);
            text = text[(next + 1)..];
        }

        text.CopyTo(room[length..]);
        length += text.Length;
        room[length++] = (byte)'"';
        block.Take(length);
        return null;
    }

    /// <summary>RFC 8259, section 7.</summary>
    private static int WriteEscape(byte sign, Span<byte> output)
    {
        output[0] = (byte)'\\';
        if (sign >= ' ')
        {
            output[1] = sign;
            return 2;
        }

        "u00"u8.CopyTo(output[1..]);
        Utf8Formatter.TryFormat(sign, output[4..], out _, new StandardFormat('x', 2));
        return LongestEscape;
    }

    private ValueFault? FindFault(ReadOnlySpan<byte> text)
    {
        if (_unescaped.Length < text.Length)
        {
            _unescaped = new byte[Math.Min(text.Length * 2L, Array.MaxLength)];
        }

        _keys.Clear();
        var json = new Utf8JsonReader(text, isFinalBlock: true, InitialState);
        while (json.Read())
        {
            var fault = json.TokenType switch
            {
                JsonTokenType.StartObject or JsonTokenType.StartArray => json.CurrentDepth >= MaxDepth ? TooDeep : null,
                JsonTokenType.PropertyName => Push(ref json),
                JsonTokenType.EndObject => _keys.PopObject() ? null : DuplicateKey,
                JsonTokenType.Number => IsKept(json.ValueSpan) ? null : InexactNumber,
                _ => null,
            };
            if (fault is not null)
            {
                return fault;
            }

            if (json.TokenType == JsonTokenType.StartObject)
            {
                _keys.PushObject();
            }
            else if (json.TokenType == JsonTokenType.String)
            {
                Unescape(ref json);
            }
        }

        return null;
    }

    private ValueFault? Push(ref Utf8JsonReader json)
    {
        var key = Unescape(ref json);
        _keys.Push(key);
        return key.Length > MaxKeyBytes ? KeyTooLong : null;
    }

    private ReadOnlySpan<byte> Unescape(ref Utf8JsonReader json) =>
        json.ValueIsEscaped ? _unescaped.AsSpan(0, json.CopyString(_unescaped)) : json.ValueSpan;

    /// <summary>Whether the server's form of a number is the same number.</summary>
    private static bool IsKept(ReadOnlySpan<byte> text)
    {
        if ((Utf8Parser.TryParse(text, out long _, out var used) && used == text.Length)
            || (Utf8Parser.TryParse(text, out ulong _, out used) && used == text.Length))
        {
            return true;
        }

        return NumberText.IsNearestDouble(text);
    }
}

/// <summary>The keys of the open objects of a JSON document, to find doubled ones. Reused without allocating.</summary>
internal sealed class JsonKeyStack
{
    /// <summary>Up to so many keys are compared with each other; more are sorted first.</summary>
    private const int FewKeys = 16;

    private readonly Comparison<int> _compare;
    private byte[] _bytes = new byte[1024];
    private int[] _starts = new int[64];
    private int[] _firstKeys = new int[16];
    private int[] _sorted = [];
    private int _keys;
    private int _objects;

    public JsonKeyStack() => _compare = (left, right) => Key(left).SequenceCompareTo(Key(right));

    public void Clear() => _keys = _objects = 0;

    public void PushObject()
    {
        if (_objects == _firstKeys.Length)
        {
            Array.Resize(ref _firstKeys, _objects * 2);
        }

        _firstKeys[_objects++] = _keys;
    }

    /// <param name="key">unescaped</param>
    public void Push(ReadOnlySpan<byte> key)
    {
        if (_keys + 1 >= _starts.Length)
        {
            Array.Resize(ref _starts, _starts.Length * 2);
        }

        var start = _starts[_keys];
        if (_bytes.Length - start < key.Length)
        {
            Array.Resize(ref _bytes, Math.Max(_bytes.Length * 2, start + key.Length));
        }

        key.CopyTo(_bytes.AsSpan(start));
        _starts[++_keys] = start + key.Length;
    }

    /// <summary>Removes the innermost object; false: two of its keys are the same.</summary>
    public bool PopObject()
    {
        var first = _firstKeys[--_objects];
        var isGood = _keys - first <= FewKeys ? AreDifferent(first) : AreDifferentSorted(first);
        _keys = first;
        return isGood;
    }

    private ReadOnlySpan<byte> Key(int key) => _bytes.AsSpan(_starts[key].._starts[key + 1]);

    private bool AreDifferent(int first)
    {
        for (var i = first + 1; i < _keys; i++)
        {
            for (var j = first; j < i; j++)
            {
                if (Key(i).SequenceEqual(Key(j)))
                {
                    return false;
                }
            }
        }

        return true;
    }

    private bool AreDifferentSorted(int first)
    {
        var count = _keys - first;
        if (_sorted.Length < count)
        {
            _sorted = new int[count * 2];
        }

        var sorted = _sorted.AsSpan(0, count);
        for (var i = 0; i < count; i++)
        {
            sorted[i] = first + i;
        }

        sorted.Sort(_compare);
        for (var i = 1; i < count; i++)
        {
            if (Key(sorted[i]).SequenceEqual(Key(sorted[i - 1])))
            {
                return false;
            }
        }

        return true;
    }
}
