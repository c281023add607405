using System.Buffers;
using System.Buffers.Binary;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Keys;

internal enum KeyState
{
    /// <summary>A part is NULL: the key conflicts with nothing.</summary>
    Free,

    Known,

    /// <summary>The next id: greater than all existing ones, so it conflicts with none.</summary>
    NextId,

    /// <summary>Only the server knows the value.</summary>
    Unknown,
}

internal sealed class ComparedKey
{
    private readonly Part[] _parts;
    private readonly bool _isKnown;

    /// <summary>The only part, if all bytes of its values count as they are; null: it is not so.</summary>
    private readonly Part? _plain;

    private ComparedKey(UniqueKey key, Part[] parts, bool isKnown)
    {
        Name = key.Name;
        Column = key.Parts.Count == 1 ? key.Parts[0].Column : null;
        _parts = parts;
        _isKnown = isKnown;
        _plain = parts is [{ IsPlain: true } part] ? part : null;
    }

    public string Name { get; }

    /// <summary>Null: the key has several columns.</summary>
    public string? Column { get; }

    /// <summary>Whether the server takes different bytes for different values in every case.</summary>
    public bool IsExact => Array.TrueForAll(_parts, part => part.IsExact);

    /// <summary>Whether it can be known here that two values are different to the server.</summary>
    public bool CanBeConclusive => Array.TrueForAll(_parts, part => part.CanBeConclusive);

    /// <summary>The table's keys in which rows can conflict.</summary>
    public static IReadOnlyList<ComparedKey> Of(LoadFacts facts)
    {
        // Such a trigger may change keys before the row is stored.
        var keys = facts.Table.HasBeforeTrigger ? [] : facts.Table.UniqueKeys;
        return [.. keys.Select(key => Of(key, facts)).OfType<ComparedKey>()];
    }

    /// <summary>The key by which records find rows.</summary>
    public static ComparedKey OfFound(LoadFacts facts) => OfColumns(facts.Key!.Columns, facts);

    /// <param name="columns">the input fills all of them</param>
    public static ComparedKey OfColumns(IReadOnlyList<TableColumn> columns, LoadFacts facts)
    {
        var parts = columns.Select(column => new KeyPart(column.Name)).ToArray();
        return new ComparedKey(
            new UniqueKey("", parts), [.. columns.Select((column, i) => new Part(facts.IndexOf(column), column, parts[i]))], isKnown: true);
    }

    /// <summary>Appends the row's value of the key: equal bytes are equal values to the server.</summary>
    /// <param name="to">gets the whole value only if the result is <see cref="KeyState.Known"/>; null: nobody needs the value</param>
    /// <param name="isConclusive">whether different bytes are different values to the server, if the other value is conclusive, too</param>
    public KeyState Write(RowBlock block, int row, IBufferWriter<byte>? to, out bool isConclusive)
    {
        isConclusive = true;
        var state = _isKnown ? KeyState.Known : KeyState.Unknown;
        foreach (var part in _parts)
        {
            var cell = block.Get(row, part.Index, out var value);
            if (cell != CellState.Value)
            {
                var own = StateOf(cell, part);
                if (own == KeyState.Free)
                {
                    return own;
                }

                state = state == KeyState.Known || own == KeyState.Unknown ? own : state;
                continue;
            }

            var significant = part.Significant(value);
            isConclusive &= part.IsConclusive(significant);
            if (to is not null)
            {
                Append(significant, part.Folds(significant), to);
            }
        }

        return state;
    }

    /// <summary>What <see cref="Write"/> tells of a row, without its value.</summary>
    public KeyState StateOf(RowBlock block, int row, out bool isConclusive)
    {
        if (_plain is null)
        {
            return Write(block, row, to: null, out isConclusive);
        }

        isConclusive = true;
        return StateOf(block.Get(row, _plain.Index, out _), _plain);
    }

    /// <summary>What <see cref="Write"/> appends: the block's own bytes, where they are the same; <paramref name="room"/> is empty
    /// then.</summary>
    public KeyState Read(RowBlock block, int row, ArrayBufferWriter<byte> room, out ReadOnlySpan<byte> value, out bool isConclusive)
    {
        room.ResetWrittenCount();
        if (_plain is not null)
        {
            isConclusive = true;
            return StateOf(block.Get(row, _plain.Index, out value), _plain);
        }

        var state = Write(block, row, room, out isConclusive);
        value = room.WrittenSpan;
        return state;
    }

    /// <summary>Compares two whole values of <see cref="Write"/>: numbers and times by value, all others byte by byte.</summary>
    /// <returns>0: they have the same bytes</returns>
    public int Compare(ReadOnlySpan<byte> one, ReadOnlySpan<byte> other)
    {
        if (_parts is [var only])
        {
            return only.Compare(one, other);
        }

        foreach (var part in _parts)
        {
            if (part.Compare(Next(ref one), Next(ref other)) is var compared and not 0)
            {
                return compared;
            }
        }

        return 0;
    }

    public string Show(RowBlock block, int row) => string.Join(", ", _parts.Select(part =>
    {
        block.Get(row, part.Index, out var value);
        return FieldText.Show(value, part.IsBinary);
    }));

    /// <returns>null: no two rows of the input can conflict</returns>
    private static ComparedKey? Of(UniqueKey key, LoadFacts facts)
    {
        var parts = new List<Part>();
        var isKnown = true;
        foreach (var part in key.Parts)
        {
            var column = part.Column is null ? null : facts.Table.Find(part.Column);
            var index = facts.IndexOf(column);
            if (column is null || column.IsGenerated || facts.Request.Assigns(column.Name))
            {
                isKnown = false;
            }
            else if (index >= 0)
            {
                parts.Add(new Part(index, column, part));
            }
            else if (column.Default is ColumnDefault.Null or ColumnDefault.AutoIncrement)
            {
                return null;
            }
            else
            {
                // A constant is the same in all rows.
                isKnown &= column.Default == ColumnDefault.Constant;
            }
        }

        return new ComparedKey(key, [.. parts], isKnown);
    }

    private KeyState StateOf(CellState cell, Part part) => cell switch
    {
        CellState.Null when !part.IsAutoIncrement => KeyState.Free,
        _ when !_isKnown => KeyState.Unknown,
        CellState.Value => KeyState.Known,
        CellState.Null => KeyState.NextId,
        _ => KeyState.Unknown,
    };

    /// <summary>The length of each of several values keeps them apart.</summary>
    private void Append(ReadOnlySpan<byte> value, bool folds, IBufferWriter<byte> to)
    {
        var head = _parts.Length > 1 ? sizeof(int) : 0;
        var room = to.GetSpan(head + value.Length);
        if (head > 0)
        {
            BinaryPrimitives.WriteInt32LittleEndian(room, value.Length);
        }

        value.CopyTo(room[head..]);
        if (folds)
        {
            Ascii.ToUpperInPlace(room.Slice(head, value.Length), out _);
        }

        to.Advance(head + value.Length);
    }

    private static ReadOnlySpan<byte> Next(ref ReadOnlySpan<byte> written)
    {
        var end = sizeof(int) + BinaryPrimitives.ReadInt32LittleEndian(written);
        var value = written[sizeof(int)..end];
        written = written[end..];
        return value;
    }

    private sealed class Part(int index, TableColumn column, KeyPart part)
    {
        private readonly KeyComparison _comparison = KeyComparisons.Of(column, column.Collation);
        private readonly ValueOrder _order = column.Behaviour.Order;
        private readonly bool _hasDecimals = column.Kind is ColumnKind.Decimal or ColumnKind.Time;
        private readonly bool _pads = column.IsCharacter && KeyComparisons.Pads(column.Collation);

        public int Index { get; } = index;

        public bool IsBinary { get; } = column.IsBinary;

        public bool IsAutoIncrement { get; } = column.Default == ColumnDefault.AutoIncrement;

        public bool IsExact => _comparison == KeyComparison.Exact;

        public bool CanBeConclusive => _comparison != KeyComparison.OneWay;

        public bool IsPlain => IsExact && !column.IsCharacter && part.Prefix is null;

        public int Compare(ReadOnlySpan<byte> one, ReadOnlySpan<byte> other) => _hasDecimals
            ? KeyColumns.CompareDecimals(one, other)
            : KeyColumns.Compare(one, other, _order);

        /// <summary>The part of the value that counts in a comparison.</summary>
        public ReadOnlySpan<byte> Significant(ReadOnlySpan<byte> value)
        {
            if (part.Prefix is { } prefix)
            {
                value = value[..(column.IsBinary ? Math.Min(prefix, value.Length) : BytesOf(value, prefix))];
            }

            return _pads ? value.TrimEnd((byte)' ') : value;
        }

        public bool IsConclusive(ReadOnlySpan<byte> value) => _comparison switch
        {
            KeyComparison.Exact => true,
            KeyComparison.ExactInAscii or KeyComparison.FoldedInAscii => KeyComparisons.IsPlain(value),
            _ => false,
        };

        /// <summary>Whether letters are compared without their case, and the comparison of all other characters is known.</summary>
        public bool Folds(ReadOnlySpan<byte> value) => _comparison == KeyComparison.FoldedInAscii && KeyComparisons.IsPlain(value);

        private static int BytesOf(ReadOnlySpan<byte> text, int characters)
        {
            var at = 0;
            for (; at < text.Length; at++)
            {
                // A byte 10xxxxxx continues a character.
                if ((sbyte)text[at] >= -0x40 && characters-- == 0)
                {
                    break;
                }
            }

            return at;
        }
    }
}

/// <summary>What canonical values tell of the server's comparison. Equal ones are always equal to the server.</summary>
internal enum KeyComparison
{
    /// <summary>Different ones are different to the server.</summary>
    Exact,

    /// <summary>Different ones are different if all are printable ASCII.</summary>
    ExactInAscii,

    /// <summary>Printable ASCII values are equal only if they differ only in the case of letters; canonical values have capitals.</summary>
    FoldedInAscii,

    /// <summary>Different ones may be equal, too: another letter case, another text of the same float.</summary>
    OneWay,
}

internal static class KeyComparisons
{
    /// <summary>Character sets in which different texts are never stored as the same bytes.</summary>
    private static readonly string[] OneToOne = ["utf8mb4", "utf8mb3", "utf8", "ucs2", "utf16", "utf16le", "utf32", "latin1", "ascii"];

    /// <summary>Endings of collations that tell printable ASCII characters apart except for the case of letters, on both servers (asked of
    /// them, character by character). Others take <c>v</c> and <c>w</c>, or <c>i</c> and <c>y</c>, for the same.</summary>
    private static readonly string[] FoldingEnds =
    [
        "_general_ci", "_unicode_ci", "_unicode_520_ci", "mb4_0900_ai_ci", "mb4_0900_as_ci",
        "_uca1400_ai_ci", "_uca1400_as_ci", "_uca1400_nopad_ai_ci", "_uca1400_nopad_as_ci",
    ];

    public static KeyComparison Of(TableColumn column, string? collation) => collation switch
    {
        _ when column.Behaviour.KeyUse != KeyUse.Exact => KeyComparison.OneWay,
        _ when !column.IsCharacter => KeyComparison.Exact,
        null => KeyComparison.OneWay,
        _ when !OneToOne.Contains(column.Charset) => KeyComparison.OneWay,
        _ when collation.EndsWith("_bin", StringComparison.Ordinal) => KeyComparison.Exact,

        // In collations of a language, two letters can be the same; in these no two of ASCII are (MySQL manual, "Unicode Character Sets").
        "utf8mb4_0900_as_cs" or "latin1_general_cs" => KeyComparison.ExactInAscii,
        _ when collation.EndsWith("uca1400_as_cs", StringComparison.Ordinal)
            || collation.EndsWith("uca1400_nopad_as_cs", StringComparison.Ordinal) => KeyComparison.ExactInAscii,
        _ when collation is "latin1_swedish_ci" || FoldingEnds.Any(end => collation.EndsWith(end, StringComparison.Ordinal)) =>
            KeyComparison.FoldedInAscii,
        _ => KeyComparison.OneWay,
    };

    public static bool IsPlain(ReadOnlySpan<byte> value) => value.IndexOfAnyExceptInRange((byte)' ', (byte)'~') < 0;

    /// <summary>Whether blanks at the end do not count (MySQL manual, "The binary Collation Compared to _bin Collations"; MariaDB
    /// documentation, "Supported Character Sets and Collations": NOPAD).</summary>
    public static bool Pads(string? collation) => collation is not null
        && !collation.Contains("_0900_", StringComparison.Ordinal)
        && !collation.Contains("_nopad_", StringComparison.Ordinal)
        && collation != "binary";
}
