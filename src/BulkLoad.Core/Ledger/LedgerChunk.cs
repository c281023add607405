using System.Buffers.Binary;
using System.IO.Hashing;
using System.Runtime.InteropServices;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Ledger;

internal sealed record LedgerChunk
{
    /// <summary>0-based number of the input of its first record.</summary>
    public required int Source { get; init; }

    public required long FirstRecord { get; init; }

    public required long FirstOffset { get; init; }

    /// <summary>Number of the input of its last record: another one where the job is one chunk, or has small files.</summary>
    public required int LastSource { get; init; }

    public required long LastRecord { get; init; }

    public required long LastOffset { get; init; }

    /// <summary><see cref="ChunkHash"/> of its records.</summary>
    public required string Content { get; init; }

    public required RowCounts Taken { get; init; }

    /// <summary>Which of its records a later one replaces, as far as that was known before anything was sent; null: none.</summary>
    public RecordMarks? Superseded { get; init; }

    public required long Batches { get; init; }

    public required IReadOnlyDictionary<string, long> Rejects { get; init; }

    public long RejectCount => Rejects.Values.Sum();

    public required IReadOnlyDictionary<string, long> Repairs { get; init; }

    /// <summary>Length of the beginning of its last input that is half of what is committed of that; 0: not known.</summary>
    public long HalfLength { get; init; }

    /// <summary>Hash of that beginning; null: not known.</summary>
    public string? Half { get; init; }

    /// <summary>How long the files of findings are when it is committed.</summary>
    public required IssuePositions Findings { get; init; }

    /// <summary>The id that the server has generated for the first row, if a file has the ids; else 0.</summary>
    public ulong FirstId { get; init; }

    /// <summary>The numbers of the details, in the order in which they are written; 0 is left out.</summary>
    private static readonly string[] NumberNames =
    [
        "lastSource", "batches", "inserted", "updated", "unchanged", "ignored", "deleted", "deletedRows", "matchedRows", "changedRows",
        "counted", "compared", "superseded", "notFound", "rejectBytes", "reasonBytes", "repairBytes", "halfLength",
        "idBytes", "firstId",
    ];

    /// <summary>What no other column has.</summary>
    public string WriteDetails() => LedgerJson.Write(json =>
    {
        ReadOnlySpan<long> numbers =
        [
            LastSource, Batches, Taken.Inserted, Taken.Updated, Taken.Unchanged, Taken.Ignored, Taken.Deleted, Taken.DeletedRows,
            Taken.MatchedRows, Taken.ChangedRows, Taken.Counted, Taken.Compared, Taken.Superseded, Taken.NotFound, Findings.Records,
            Findings.Reasons, Findings.Repairs, Half is null ? 0 : HalfLength, Findings.Ids, (long)FirstId,
        ];
        for (var i = 0; i < numbers.Length; i++)
        {
            if (numbers[i] != 0)
            {
                json.WriteNumber(NumberNames[i], numbers[i]);
            }
        }

        if (Half is not null)
        {
            json.WriteString("half", Half);
        }

        if (Superseded is { IsEmpty: false })
        {
            json.WriteString("supersededRecords", Superseded.Write());
        }

        LedgerJson.WriteCounts(json, "rejects", Rejects);
        LedgerJson.WriteCounts(json, "repairs", Repairs);
    });

    /// <param name="place">source, first and last record, first and last offset</param>
    /// <param name="details">UTF-8</param>
    /// <exception cref="PlanException">this program has not written the row</exception>
    public static LedgerChunk Read(ReadOnlySpan<long> place, string content, ReadOnlySpan<byte> details)
    {
        var members = new LedgerMembers(details);
        Span<long> numbers = stackalloc long[NumberNames.Length];
        numbers.Clear();
        string? half = null, marks = null;
        var (rejects, repairs) = (LedgerJson.NoCounts, LedgerJson.NoCounts);
        for (var next = 0; members.Move();)
        {
            if (members.IndexIn(NumberNames, next) is >= 0 and var at)
            {
                (numbers[at], next) = (members.Number, at + 1);
            }
            else if (members.Is("half"))
            {
                half = members.Text;
            }
            else if (members.Is("supersededRecords"))
            {
                marks = members.Text;
            }
            else if (members.Is("rejects"))
            {
                rejects = members.Counts;
            }
            else if (members.Is("repairs"))
            {
                repairs = members.Counts;
            }
        }

        return new LedgerChunk
        {
            Source = (int)place[0],
            FirstRecord = place[1],
            LastRecord = place[2],
            FirstOffset = place[3],
            LastOffset = place[4],
            Content = content,
            LastSource = (int)numbers[0],
            Batches = numbers[1],
            Taken = new RowCounts(numbers[2], numbers[3], numbers[4], numbers[5])
            {
                Deleted = numbers[6],
                DeletedRows = numbers[7],
                MatchedRows = numbers[8],
                ChangedRows = numbers[9],
                Counted = numbers[10],
                Compared = numbers[11],
                Superseded = numbers[12],
                NotFound = numbers[13],
            },
            Superseded = marks is null ? null : RecordMarks.Read(marks),
            HalfLength = numbers[17],
            Half = half,
            Rejects = rejects,
            Repairs = repairs,
            Findings = new IssuePositions(numbers[14], numbers[15], numbers[16], numbers[18]),
            FirstId = (ulong)numbers[19],
        };
    }
}

/// <summary>Marks some records of a chunk by a bit each, at their 0-based places. Marks none in a chunk so large that no statement should
/// carry the bits.</summary>
internal sealed class RecordMarks
{
    /// <summary>Number of records of a chunk that can be marked.</summary>
    public const long MaxRecords = 4_000_000;

    private byte[] _bits = [];
    private int _length;
    private bool _isOver;

    public bool IsEmpty => _length == 0 || _isOver;

    public void Add(long place)
    {
        _isOver |= place >= MaxRecords;
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

    /// <summary>In base64.</summary>
    public string Write() => Convert.ToBase64String(_bits.AsSpan(0, _length));

    /// <exception cref="PlanException"><see cref="Write"/> has not written the text</exception>
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

/// <summary>A hash of a chunk's content: XXH128 over the bytes of its records, and over their offsets, in the input's order. It does not
/// depend on how blocks are cut, and on which records are rows and which are refused. It detects changes; it does not protect against
/// forging, which gains nothing.</summary>
internal sealed class ChunkHash
{
    private const int HashBytes = 16;

    private readonly XxHash128 _records = new();
    private readonly XxHash128 _offsets = new();

    /// <param name="offset">of its first byte in the decompressed, undecoded input</param>
    public void Add(long offset, ReadOnlySpan<byte> record)
    {
        Span<byte> place = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(place, offset);
        _records.Append(record);
        _offsets.Append(place);
    }

    /// <summary>Adds the rows of a block and the refused records between them.</summary>
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

    /// <summary>The hash of what was added, in hexadecimal digits; then begins a new chunk.</summary>
    public string Finish()
    {
        Span<byte> both = stackalloc byte[2 * HashBytes];
        _records.GetHashAndReset(both);
        _offsets.GetHashAndReset(both[HashBytes..]);
        return HexText.Of(both);
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

/// <summary>Hexadecimal digits, of which a ledger may have many millions. The native program calls Vector128.Shuffle as a function, which
/// made <see cref="Convert.ToHexStringLower(ReadOnlySpan{byte})"/> a quarter of the time that a resume took.</summary>
internal static class HexText
{
    private const string Digits = "0123456789abcdef";

    public static string Of(ReadOnlySpan<byte> bytes) => string.Create(2 * bytes.Length, bytes, static (text, bytes) =>
    {
        for (var i = 0; i < bytes.Length; i++)
        {
            text[2 * i] = Digits[bytes[i] >> 4];
            text[(2 * i) + 1] = Digits[bytes[i] & 15];
        }
    });

    /// <returns>false: the text is not the digits of as many bytes as there is room for</returns>
    public static bool TryRead(ReadOnlySpan<char> text, Span<byte> bytes)
    {
        for (var i = 0; i < bytes.Length && text.Length == 2 * bytes.Length; i++)
        {
            var (high, low) = (ValueOf(text[2 * i]), ValueOf(text[(2 * i) + 1]));
            if ((high | low) < 0)
            {
                return false;
            }

            bytes[i] = (byte)((high << 4) | low);
        }

        return text.Length == 2 * bytes.Length;

        static int ValueOf(char digit) => digit - '0' is >= 0 and < 10 and var value ? value
            : digit - 'a' is >= 0 and < 6 and var letter ? letter + 10
            : -1;
    }
}
