using System.Buffers;
using System.Buffers.Binary;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Keys;

internal enum KeyState
{
    /// <summary>NULL somewhere: it conflicts with nothing.</summary>
    Free,

    Known,

    /// <summary>The next id: it is behind all that are there, and conflicts with none of them.</summary>
    NextId,

    /// <summary>The server works it out.</summary>
    Unknown,
}

/// <summary>A unique key in which rows of the input can conflict.</summary>
internal sealed class ComparedKey
{
    private readonly Part[] _parts;
    private readonly bool _isKnown;

    private ComparedKey(UniqueKey key, Part[] parts, bool isKnown)
    {
        Name = key.Name;
        Column = key.Parts.Count == 1 ? key.Parts[0].Column : null;
        _parts = parts;
        _isKnown = isKnown;
    }

    public string Name { get; }

    /// <summary>The key's column where it has only one.</summary>
    public string? Column { get; }

    /// <summary>Whether other bytes are always another value to the server.</summary>
    public bool IsExact => Array.TrueForAll(_parts, part => part.IsExact);

    /// <summary>The table's keys that rows can conflict in.</summary>
    public static IReadOnlyList<ComparedKey> Of(LoadFacts facts)
    {
        // Before the row is stored, such a trigger may change its keys.
        var keys = facts.Table.HasBeforeTrigger ? [] : facts.Table.UniqueKeys;
        return [.. keys.Select(key => Of(key, facts)).OfType<ComparedKey>()];
    }

    /// <summary>The key by which records find rows.</summary>
    public static ComparedKey OfFound(LoadFacts facts) => OfColumns(facts.Key!.Columns, facts);

    /// <param name="columns">all of them are filled by the input</param>
    public static ComparedKey OfColumns(IReadOnlyList<TableColumn> columns, LoadFacts facts)
    {
        var parts = columns.Select(column => new KeyPart(column.Name)).ToArray();
        return new ComparedKey(
            new UniqueKey("", parts), [.. columns.Select((column, i) => new Part(facts.IndexOf(column), column, parts[i]))], isKnown: true);
    }

    /// <summary>Appends the row's value of the key: equal bytes are equal values to the server.</summary>
    /// <param name="to">holds the whole value only where the answer is <see cref="KeyState.Known"/></param>
    /// <param name="isConclusive">whether other bytes are another value to the server, if those are conclusive too</param>
    public KeyState Write(RowBlock block, int row, IBufferWriter<byte> to, out bool isConclusive)
    {
        isConclusive = true;
        var state = _isKnown ? KeyState.Known : KeyState.Unknown;
        foreach (var part in _parts)
        {
            switch (block.Get(row, part.Index, out var value))
            {
                case CellState.Null when !part.IsAutoIncrement:
                    return KeyState.Free;
                case CellState.Null:
                    state = state == KeyState.Known ? KeyState.NextId : state;
                    break;
                case CellState.Default or CellState.Absent:
                    state = KeyState.Unknown;
                    break;
                default:
                    var significant = part.Significant(value);
                    isConclusive &= part.IsConclusive(significant);
                    Append(significant, part.Folds(significant), to);
                    break;
            }
        }

        return state;
    }

    public string Show(RowBlock block, int row) => string.Join(", ", _parts.Select(part =>
    {
        block.Get(row, part.Index, out var value);
        return FieldText.Show(value, part.IsBinary);
    }));

    /// <summary>Null where no two rows of the input can conflict.</summary>
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

    private static void Append(ReadOnlySpan<byte> value, bool folds, IBufferWriter<byte> to)
    {
        var room = to.GetSpan(sizeof(int) + value.Length);
        BinaryPrimitives.WriteInt32LittleEndian(room, value.Length);
        value.CopyTo(room[sizeof(int)..]);
        if (folds)
        {
            Ascii.ToUpperInPlace(room.Slice(sizeof(int), value.Length), out _);
        }

        to.Advance(sizeof(int) + value.Length);
    }

    /// <summary>A column of the key that the input fills.</summary>
    private sealed class Part(int index, TableColumn column, KeyPart part)
    {
        private readonly KeyComparison _comparison = KeyComparisons.Of(column, column.Collation);
        private readonly bool _pads = column.IsCharacter && KeyComparisons.Pads(column.Collation);

        public int Index { get; } = index;

        public bool IsBinary { get; } = column.IsBinary;

        public bool IsAutoIncrement { get; } = column.Default == ColumnDefault.AutoIncrement;

        public bool IsExact => _comparison == KeyComparison.Exact;

        /// <summary>What of the value counts in a comparison.</summary>
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

        /// <summary>Whether the value's letters count without their case, and what else it has is known.</summary>
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

/// <summary>What canonical values tell of the server's comparison. Equal ones are equal to it, always.</summary>
internal enum KeyComparison
{
    /// <summary>Others are not.</summary>
    Exact,

    /// <summary>Others are not, as long as all values are printable ASCII.</summary>
    ExactInAscii,

    /// <summary>Others are not, as long as all values are printable ASCII: such are equal just where they differ in nothing but the case of
    /// letters, and their canonical values have capital letters.</summary>
    FoldedInAscii,

    /// <summary>Others may be equal too: another letter case, another text of the same float.</summary>
    OneWay,
}

internal static class KeyComparisons
{
    /// <summary>Character sets in which different text is never stored as the same bytes.</summary>
    private static readonly string[] OneToOne = ["utf8mb4", "utf8mb3", "utf8", "ucs2", "utf16", "utf16le", "utf32", "latin1", "ascii"];

    /// <summary>Collations of those that tell printable ASCII apart but for the case of letters, on both servers (asked of them, character
    /// by character); others make one of <c>v</c> and <c>w</c>, or of <c>i</c> and <c>y</c>.</summary>
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

        // Where a language has a say, two letters can be one; in these no two of ASCII are (MySQL manual, "Unicode Character Sets").
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
