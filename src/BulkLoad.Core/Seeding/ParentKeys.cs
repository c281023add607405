using System.IO.Hashing;
using System.Runtime.InteropServices;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Seeding;

/// <summary>Columns of rows by which foreign keys find each other.</summary>
internal sealed class ReferenceKey
{
    private readonly Part[] _parts;
    private readonly XxHash128 _hash = new();
    private byte[] _folded = new byte[64];

    private ReferenceKey(Part[] parts) => _parts = parts;

    /// <summary>Null where the input does not fill one of the columns, or another value than its own may be stored.</summary>
    public static ReferenceKey? Of(IReadOnlyList<string> columns, LoadFacts facts)
    {
        var parts = columns.Select(column => facts.Table.Find(column)).Select(column =>
            column is null || column.IsGenerated || facts.IndexOf(column) < 0 || facts.Request.Assigns(column.Name)
                ? null
                : new Part(facts.IndexOf(column), column)).ToArray();
        return parts.Length == 0 || parts.Contains(null) || facts.Table.HasBeforeTrigger ? null : new ReferenceKey(parts!);
    }

    /// <summary>Whether equal bytes of both are equal values.</summary>
    public bool IsLike(ReferenceKey other) =>
        _parts.Length == other._parts.Length && _parts.Zip(other._parts).All(pair => pair.First.IsLike(pair.Second));

    /// <summary>What a row has in the columns.</summary>
    /// <param name="hash">of its values, where they are known: equal ones have equal hashes</param>
    /// <param name="isConclusive">whether values with another hash are others to the server, if those are conclusive too</param>
    public KeyState Read(RowBlock block, int row, out KeyHash hash, out bool isConclusive)
    {
        (hash, isConclusive) = (default, true);
        _hash.Reset();
        var state = KeyState.Known;
        foreach (var part in _parts)
        {
            switch (block.Get(row, part.Index, out var cell))
            {
                case CellState.Null when part.Column.Default != ColumnDefault.AutoIncrement:
                    return KeyState.Free;
                case CellState.Null or CellState.Default or CellState.Absent:
                    state = KeyState.Unknown;
                    break;
                default:
                    isConclusive &= Append(part, cell);
                    break;
            }
        }

        var value = _hash.GetCurrentHashAsUInt128();
        hash = new KeyHash((ulong)value, (ulong)(value >> 64));
        return state;
    }

    /// <summary>The row's values, for people.</summary>
    public string Show(RowBlock block, int row) => string.Join(", ", _parts.Select(part =>
    {
        block.Get(row, part.Index, out var value);
        return FieldText.Show(value, part.Column.IsBinary);
    }));

    private bool Append(Part part, ReadOnlySpan<byte> value)
    {
        value = part.Pads ? value.TrimEnd((byte)' ') : value;
        var isPlain = part.Comparison is KeyComparison.FoldedInAscii or KeyComparison.ExactInAscii && KeyComparisons.IsPlain(value);
        value = isPlain && part.Comparison == KeyComparison.FoldedInAscii ? Fold(value) : value;
        var length = value.Length;
        _hash.Append(MemoryMarshal.AsBytes(new ReadOnlySpan<int>(in length)));
        _hash.Append(value);
        return isPlain || part.Comparison == KeyComparison.Exact;
    }

    private ReadOnlySpan<byte> Fold(ReadOnlySpan<byte> value)
    {
        if (_folded.Length < value.Length)
        {
            _folded = new byte[value.Length * 2];
        }

        Ascii.ToUpper(value, _folded, out var written);
        return _folded.AsSpan(0, written);
    }

    private sealed record Part(int Index, TableColumn Column)
    {
        public KeyComparison Comparison { get; } = KeyComparisons.Of(Column, Column.Collation);

        public bool Pads { get; } = Column.IsCharacter && KeyComparisons.Pads(Column.Collation);

        private ColumnFamily Family { get; } = Column.Behaviour.Family;

        public bool IsLike(Part other) =>
            (Column.Kind == other.Column.Kind
                || (Family == other.Family && Family is ColumnFamily.Integer or ColumnFamily.Character or ColumnFamily.Bytes))
            && Column.Scale == other.Column.Scale && Column.Charset == other.Column.Charset
            && Column.Collation == other.Column.Collation && Column.Labels.SequenceEqual(other.Column.Labels);
    }
}

/// <summary>A 128-bit hash, in 16 bytes wherever it stands.</summary>
internal readonly record struct KeyHash(ulong Low, ulong High)
{
    public override int GetHashCode() => (int)Low;
}

/// <summary>
/// The values that a table's records have in columns that foreign keys refer to: a 128-bit hash of each, about 30 bytes of memory. That a
/// value which is not there has the hash of one that is happens by chance to one of n in about 3e38/n.
/// </summary>
/// <param name="files">of the table, for people</param>
/// <param name="table">its name</param>
/// <param name="expected">records, about</param>
internal sealed class ParentKeys(string files, string table, long expected)
{
    /// <summary>What is reserved at most by an estimate.</summary>
    private const long MostExpected = 10_000_000;

    private readonly HashSet<KeyHash> _values = new((int)Math.Min(expected, MostExpected));
    private bool _hasOthers;

    public string Files { get; } = files;

    public string Table { get; } = table;

    /// <summary>Null where values of the table's rows are not known here.</summary>
    public ReferenceKey? Key { get; init; }

    /// <summary>Records that could not be read as rows: a value that is not here may be theirs.</summary>
    public long Refused { get; private set; }

    /// <summary>Whether the table may have rows that its files do not have.</summary>
    public bool HasOtherRows { get; init; }

    /// <summary>Takes a block's rows.</summary>
    public void Add(RowBlock block)
    {
        Refused += block.Rejects.Count;
        for (var row = 0; row < block.RowCount; row++)
        {
            switch (Key!.Read(block, row, out var hash, out var isConclusive))
            {
                case KeyState.Known:
                    _values.Add(hash);
                    _hasOthers |= !isConclusive;
                    break;
                case KeyState.Unknown:
                    _hasOthers = true;
                    break;
            }
        }
    }

    public bool Has(KeyHash hash) => _values.Contains(hash);

    /// <summary>Whether a value that is not here is certainly none of the table's.</summary>
    public bool IsConclusive => Key is not null && !_hasOthers && !HasOtherRows;
}

/// <summary>The foreign keys of a table's records, against the records of a folder.</summary>
/// <param name="keys">each with the table's own columns, null where their values are not known here, and the parents' values, null where
/// the folder has none</param>
internal sealed class FolderReferences(IReadOnlyList<(SeedReference Reference, ReferenceKey? Own, ParentKeys? Parents)> keys)
    : IRowReferences
{
    /// <inheritdoc/>
    public (string? Column, string Message)? FindMissing(RowBlock block, int row, out bool isUnsure)
    {
        isUnsure = false;
        foreach (var (reference, own, parents) in keys)
        {
            if (own is null)
            {
                isUnsure = true;
                continue;
            }

            var state = own.Read(block, row, out var hash, out var isConclusive);
            if (state == KeyState.Free || (state == KeyState.Known && parents?.Key is { } key && key.IsLike(own) && parents.Has(hash)))
            {
                continue;
            }

            if (state != KeyState.Known || !isConclusive || parents is not { IsConclusive: true } || !parents.Key!.IsLike(own))
            {
                isUnsure = true;
                continue;
            }

            var doubt = parents.Refused == 0
                ? ""
                : $"; {parents.Refused} {Plural.For(parents.Refused, "record")} of it {(parents.Refused == 1 ? "is" : "are")} refused for "
                    + "another fault, and may have it";
            return (reference.Columns is [var column] ? column : null,
                $"no record of {parents.Files} has {string.Join('+', reference.ToColumns)} {own.Show(block, row)} (foreign key "
                    + $"'{reference.Name}' to {parents.Table}){doubt}");
        }

        return null;
    }
}
