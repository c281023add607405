using System.Buffers.Binary;
using System.IO.Hashing;
using System.Runtime.InteropServices;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Ledger;

/// <summary>A committed chunk, as its row in the ledger has it.</summary>
internal sealed record LedgerChunk
{
    /// <summary>0-based number of the input of its first record.</summary>
    public required int Source { get; init; }

    public required long FirstRecord { get; init; }

    public required long FirstOffset { get; init; }

    /// <summary>The input of its last record: another one where the job is one chunk, or has small files.</summary>
    public required int LastSource { get; init; }

    public required long LastRecord { get; init; }

    public required long LastOffset { get; init; }

    /// <summary><see cref="ChunkHash"/> of its records.</summary>
    public required string Content { get; init; }

    public required RowCounts Taken { get; init; }

    /// <summary>Its records, from the first one on, for which another one stood, as far as that was known before anything was sent; null:
    /// none.</summary>
    public RecordMarks? Superseded { get; init; }

    public required long Batches { get; init; }

    /// <summary>Its records that were refused, by reason code.</summary>
    public required IReadOnlyDictionary<string, long> Rejects { get; init; }

    public long RejectCount => Rejects.Values.Sum();

    /// <summary>What was repaired in it, by kind.</summary>
    public required IReadOnlyDictionary<string, long> Repairs { get; init; }

    /// <summary>Length of the beginning of its last input that stands for half of what is committed of that; 0: none is known.</summary>
    public long HalfLength { get; init; }

    /// <summary>Hash of that beginning; null: none is known.</summary>
    public string? Half { get; init; }

    /// <summary>How far the files of findings reach with it.</summary>
    public required IssuePositions Findings { get; init; }

    /// <summary>What no other column has.</summary>
    public string WriteDetails() => LedgerJson.Write(json =>
    {
        Write("lastSource", LastSource);
        Write("batches", Batches);
        Write("inserted", Taken.Inserted);
        Write("updated", Taken.Updated);
        Write("unchanged", Taken.Unchanged);
        Write("ignored", Taken.Ignored);
        Write("deleted", Taken.Deleted);
        Write("deletedRows", Taken.DeletedRows);
        Write("matchedRows", Taken.MatchedRows);
        Write("changedRows", Taken.ChangedRows);
        Write("counted", Taken.Counted);
        Write("compared", Taken.Compared);
        Write("superseded", Taken.Superseded);
        Write("notFound", Taken.NotFound);
        Write("rejectBytes", Findings.Records);
        Write("reasonBytes", Findings.Reasons);
        Write("repairBytes", Findings.Repairs);
        if (Half is not null)
        {
            Write("halfLength", HalfLength);
            json.WriteString("half", Half);
        }

        if (Superseded is { IsEmpty: false })
        {
            json.WriteString("supersededRecords", Superseded.Write());
        }

        LedgerJson.WriteCounts(json, "rejects", Rejects);
        LedgerJson.WriteCounts(json, "repairs", Repairs);

        void Write(string name, long number)
        {
            if (number != 0)
            {
                json.WriteNumber(name, number);
            }
        }
    });

    /// <summary>Reads a row.</summary>
    /// <param name="row">as <see cref="Sql.LedgerSql.ReadChunks"/> has it</param>
    /// <exception cref="PlanException">the row is none that this program writes</exception>
    public static LedgerChunk Read(string?[] row)
    {
        // A chunk that is not complete has none: LedgerPieces.RequireComplete.
        using var details = LedgerJson.Read(row[6] is { Length: 0 } ? "{}" : row[6]);
        var json = details.RootElement;
        return new LedgerChunk
        {
            Source = (int)Number(row[0]),
            FirstRecord = Number(row[1]),
            LastRecord = Number(row[2]),
            FirstOffset = Number(row[3]),
            LastOffset = Number(row[4]),
            Content = row[5] ?? "",
            LastSource = (int)Get("lastSource"),
            Batches = Get("batches"),
            Taken = new RowCounts(Get("inserted"), Get("updated"), Get("unchanged"), Get("ignored"))
            {
                Deleted = Get("deleted"),
                DeletedRows = Get("deletedRows"),
                MatchedRows = Get("matchedRows"),
                ChangedRows = Get("changedRows"),
                Counted = Get("counted"),
                Compared = Get("compared"),
                Superseded = Get("superseded"),
                NotFound = Get("notFound"),
            },
            Superseded = LedgerJson.ReadText(json, "supersededRecords") is { } marks ? RecordMarks.Read(marks) : null,
            HalfLength = Get("halfLength"),
            Half = LedgerJson.ReadText(json, "half"),
            Rejects = LedgerJson.ReadCounts(json, "rejects"),
            Repairs = LedgerJson.ReadCounts(json, "repairs"),
            Findings = new IssuePositions(Get("rejectBytes"), Get("reasonBytes"), Get("repairBytes")),
        };

        long Get(string name) => LedgerJson.ReadNumber(json, name);

        static long Number(string? text) => long.Parse(text ?? "0", CultureInfo.InvariantCulture);
    }
}

/// <summary>Some of a chunk's records, by their 0-based places in it: a bit for each. Of a chunk so large that no statement should carry
/// that many, none.</summary>
internal sealed class RecordMarks
{
    /// <summary>Records of a chunk of which some can be marked.</summary>
    public const long MostRecords = 4_000_000;

    private byte[] _bits = [];
    private int _length;
    private bool _isOver;

    public bool IsEmpty => _length == 0 || _isOver;

    public void Add(long place)
    {
        _isOver |= place >= MostRecords;
        if (_isOver)
        {
            return;
        }

        var at = (int)(place / 8);
        if (at >= _bits.Length)
        {
            Array.Resize(ref _bits, Math.Max(at + 1, Math.Max(256, _bits.Length * 2)));
        }

        _length = Math.Max(_length, at + 1);
        _bits[at] |= (byte)(1 << (int)(place % 8));
    }

    public bool Has(long place) => place >= 0 && place / 8 < _length && (_bits[place / 8] & (1 << (int)(place % 8))) != 0;

    public void Clear()
    {
        Array.Clear(_bits);
        (_length, _isOver) = (0, false);
    }

    /// <summary>For the ledger, in base64.</summary>
    public string Write() => Convert.ToBase64String(_bits.AsSpan(0, _length));

    /// <summary>Reads what <see cref="Write"/> made.</summary>
    /// <exception cref="PlanException">it is not that</exception>
    public static RecordMarks Read(string text)
    {
        try
        {
            var bits = Convert.FromBase64String(text);
            return new RecordMarks { _bits = bits, _length = bits.Length };
        }
        catch (FormatException fault)
        {
            throw new PlanException("the ledger has a row whose details cannot be read: was it changed by hand?", fault);
        }
    }
}

/// <summary>The content of a chunk in one word: XXH128 over the bytes of its records, and over their offsets, in the input's order. The
/// same whether records come one by one or in blocks, however those are cut, and whichever of them are rows and which are refused. It tells
/// what has changed; who means to forge a chunk is not kept from it, and gains nothing by it.</summary>
internal sealed class ChunkHash
{
    private const int HashBytes = 16;

    private readonly XxHash128 _records = new();
    private readonly XxHash128 _offsets = new();

    /// <summary>The next record.</summary>
    /// <param name="offset">of its first byte in the decompressed, undecoded input</param>
    public void Add(long offset, ReadOnlySpan<byte> record)
    {
        Span<byte> place = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(place, offset);
        _records.Append(record);
        _offsets.Append(place);
    }

    /// <summary>The next records: rows of a block and what was refused between them.</summary>
    public void Add(RowBlock block)
    {
        var row = 0;
        foreach (var reject in block.Rejects)
        {
            var until = row;
            while (until < block.RowCount && block.Record(until) < reject.Place.Record)
            {
                until++;
            }

            Add(block, row, until - row);
            Add(reject.Place.Offset, reject.Text.Span);
            row = until;
        }

        Add(block, row, block.RowCount - row);
    }

    /// <summary>The word for what was added, in hexadecimal digits; what is added next is another chunk's.</summary>
    public string Finish()
    {
        Span<byte> both = stackalloc byte[2 * HashBytes];
        _records.GetHashAndReset(both);
        _offsets.GetHashAndReset(both[HashBytes..]);
        return Convert.ToHexStringLower(both);
    }

    private void Add(RowBlock block, int from, int rows)
    {
        _records.Append(block.OriginalsOf(from, rows));
        var offsets = block.OffsetsOf(from, rows);
        if (BitConverter.IsLittleEndian)
        {
            _offsets.Append(MemoryMarshal.AsBytes(offsets));
            return;
        }

        foreach (var offset in offsets)
        {
            Add(offset, []);
        }
    }
}
