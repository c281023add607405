using System.Buffers;
using System.IO.Hashing;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Seeding;

internal sealed class ReferenceKey
{
    private readonly TableColumn[] _columns;
    private readonly ComparedKey _key;
    private readonly ArrayBufferWriter<byte> _value = new();

    private ReferenceKey(TableColumn[] columns, LoadFacts facts) => (_columns, _key) = (columns, ComparedKey.OfColumns(columns, facts));

    /// <summary>Null: the input does not fill one of the columns, or the server may store another value than the input's.</summary>
    public static ReferenceKey? Of(IReadOnlyList<string> columns, LoadFacts facts)
    {
        var found = columns.Select(facts.Table.Find).OfType<TableColumn>()
            .Where(column => !column.IsGenerated && facts.IndexOf(column) >= 0 && !facts.Request.Assigns(column.Name)).ToArray();
        return columns.Count == 0 || found.Length < columns.Count || facts.Table.HasBeforeTrigger ? null : new ReferenceKey(found, facts);
    }

    /// <summary>Whether equal bytes of both are equal values.</summary>
    public bool IsLike(ReferenceKey other) =>
        _columns.Length == other._columns.Length && _columns.Zip(other._columns).All(pair => IsLike(pair.First, pair.Second));

    /// <summary>Reads the columns' values of a row.</summary>
    /// <param name="hash">equal values have equal hashes</param>
    /// <param name="isConclusive">whether values with another hash are certainly different for the server, if the other side is conclusive
    /// too</param>
    public KeyState Read(RowBlock block, int row, out KeyHash hash, out bool isConclusive)
    {
        _value.ResetWrittenCount();
        var state = _key.Write(block, row, _value, out isConclusive);
        var value = XxHash128.HashToUInt128(_value.WrittenSpan);
        hash = new KeyHash((ulong)value, (ulong)(value >> 64));
        return state == KeyState.NextId ? KeyState.Unknown : state;
    }

    public string Show(RowBlock block, int row) => _key.Show(block, row);

    private static bool IsLike(TableColumn one, TableColumn other) =>
        (one.Kind == other.Kind
            || (one.Behaviour.Family is var family and (ColumnFamily.Integer or ColumnFamily.Character or ColumnFamily.Bytes)
                && other.Behaviour.Family == family))
        && one.Scale == other.Scale && one.Charset == other.Charset && one.Collation == other.Collation
        && one.Labels.SequenceEqual(other.Labels);
}

/// <summary>128 bits.</summary>
internal readonly record struct KeyHash(ulong Low, ulong High)
{
    public override int GetHashCode() => (int)Low;
}

/// <summary>The values that a table's records have in columns that foreign keys refer to: a 128-bit hash of each, about 30 bytes of memory.
/// With n values, a missing one is taken for present once in about 3e38/n.</summary>
/// <param name="files">their names, for people</param>
/// <param name="expected">estimate of the number of records</param>
internal sealed class ParentKeys(string files, string table, long expected)
{
    /// <summary>Limit of the memory that is reserved by the estimate.</summary>
    private const long MaxExpected = 10_000_000;

    private readonly HashSet<KeyHash> _values = new((int)Math.Min(expected, MaxExpected));
    private bool _hasOthers;

    public string Files { get; } = files;

    public string Table { get; } = table;

    /// <summary>Null: the values of the table's rows are not known here.</summary>
    public ReferenceKey? Key { get; init; }

    /// <summary>Records that could not be read as rows: a value that is missing here may be theirs.</summary>
    public long Refused { get; private set; }

    /// <summary>Whether the table may have rows that its files do not have.</summary>
    public bool HasOtherRows { get; init; }

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

    /// <summary>Whether a value that is missing here is certainly missing in the table.</summary>
    public bool IsConclusive => Key is not null && !_hasOthers && !HasOtherRows;
}

/// <summary>The foreign keys of a table's records, against the records of a folder.</summary>
/// <param name="keys">each with the table's own columns, null where their values are not known here, and the parents' values, null where
/// the folder has none</param>
internal sealed class FolderReferences(IReadOnlyList<(ForeignKey Reference, ReferenceKey? Own, ParentKeys? Parents)> keys)
    : IRowReferences
{
    private readonly (ForeignKey Reference, ReferenceKey? Own, ParentKeys? Parents, bool AreLike)[] _keys =
        [.. keys.Select(one => (one.Reference, one.Own, one.Parents, one.Own is not null && one.Parents?.Key?.IsLike(one.Own) == true))];

    public (string? Column, string Message)? FindMissing(RowBlock block, int row, out bool isUnsure)
    {
        isUnsure = false;
        foreach (var (reference, own, parents, areLike) in _keys)
        {
            if (own is null)
            {
                isUnsure = true;
                continue;
            }

            var state = own.Read(block, row, out var hash, out var isConclusive);
            if (state == KeyState.Free || (state == KeyState.Known && areLike && parents!.Has(hash)))
            {
                continue;
            }

            if (state != KeyState.Known || !isConclusive || parents is not { IsConclusive: true } || !areLike)
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
