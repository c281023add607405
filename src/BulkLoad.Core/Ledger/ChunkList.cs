using System.Buffers;
using System.Collections;
using System.Runtime.CompilerServices;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Ledger;

/// <summary>The committed chunks of a job in the input's order, in about 50 bytes each. Each read creates them again, best in order; only
/// the last one has its <see cref="LedgerChunk.Half"/>.</summary>
[CollectionBuilder(typeof(ChunkList), nameof(Of))]
internal sealed class ChunkList : IReadOnlyList<LedgerChunk>
{
    private const int PageOfChunks = 256;
    private const int ContentBytes = 32;

    private static readonly Dictionary<string, long> NoCounts = [];

    private readonly List<byte[]> _pages = [];
    private readonly List<string> _words = [];
    private readonly SortedDictionary<string, long> _rejects = new(StringComparer.Ordinal), _repairs = new(StringComparer.Ordinal);
    private readonly ArrayBufferWriter<byte> _open = new();
    private Place _end;

    [Flags]
    private enum Has
    {
        None = 0,
        OtherSource = 1,
        OtherFirst = 2,
        OtherLastSource = 4,
        OtherContent = 8,
        OtherCounts = 16,
        Rejects = 32,
        Repairs = 64,
        Findings = 128,
        Superseded = 256,
        Ids = 512,
    }

    /// <summary>An empty list that nobody adds to.</summary>
    public static ChunkList None { get; } = [];

    public int Count { get; private set; }

    public long WithRows { get; private set; }

    public long Batches { get; private set; }

    public RowCounts Taken { get; private set; }

    public IReadOnlyDictionary<string, long> Rejects => _rejects;

    public IReadOnlyDictionary<string, long> Repairs => _repairs;

    public long RejectCount => Rejects.Values.Sum();

    public LedgerTally Tally { get; private set; }

    /// <summary>Highest number of an input; -1: there is no chunk.</summary>
    public int LastSource { get; private set; } = -1;

    /// <summary>Null: there is no chunk.</summary>
    public LedgerChunk? Last { get; private set; }

    /// <summary>The first chunk whose row has no content; null: all have.</summary>
    public LedgerChunk? Incomplete { get; private set; }

    public LedgerChunk this[int index]
    {
        get
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)index, (uint)Count);
            if (index == Count - 1)
            {
                return Last!;
            }

            var (at, before) = (0, default(Place));
            for (var i = index / PageOfChunks * PageOfChunks; i < index; i++)
            {
                Decode(PageOf(i), ref at, ref before);
            }

            return Decode(PageOf(index), ref at, ref before);
        }
    }

    public static ChunkList Of(ReadOnlySpan<LedgerChunk> chunks)
    {
        var list = new ChunkList();
        foreach (var chunk in chunks)
        {
            list.Add(chunk);
        }

        return list;
    }

    public void Add(LedgerChunk chunk)
    {
        Encode(chunk);
        if (++Count % PageOfChunks == 0)
        {
            _pages.Add(_open.WrittenSpan.ToArray());
            _open.ResetWrittenCount();
            _end = default;
        }

        WithRows += chunk.Taken.Count > 0 ? 1 : 0;
        Batches += chunk.Batches;
        Taken += chunk.Taken;
        Tally = Tally.With(chunk);
        LastSource = Math.Max(LastSource, chunk.LastSource);
        Last = chunk;
        Incomplete ??= chunk.Content.Length == 0 ? chunk : null;
        Sum(_rejects, chunk.Rejects);
        Sum(_repairs, chunk.Repairs);

        static void Sum(SortedDictionary<string, long> to, IReadOnlyDictionary<string, long> counts)
        {
            foreach (var (word, count) in counts)
            {
                to[word] = to.GetValueOrDefault(word) + count;
            }
        }
    }

    public IEnumerator<LedgerChunk> GetEnumerator()
    {
        var (at, before) = (0, default(Place));
        for (var i = 0; i < Count; i++)
        {
            (at, before) = i % PageOfChunks == 0 ? (0, default) : (at, before);
            yield return i == Count - 1 ? Last! : Decode(PageOf(i), ref at, ref before);
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private ReadOnlySpan<byte> PageOf(int index) =>
        index / PageOfChunks < _pages.Count ? _pages[index / PageOfChunks] : _open.WrittenSpan;

    private void Encode(LedgerChunk chunk)
    {
        Span<byte> content = stackalloc byte[ContentBytes];
        var isUsual = HexText.TryRead(chunk.Content, content);
        var counts = chunk.Taken;
        var has = (chunk.Source != _end.Source ? Has.OtherSource : 0)
            | (chunk.FirstRecord != _end.Record + 1 ? Has.OtherFirst : 0)
            | (chunk.LastSource != chunk.Source ? Has.OtherLastSource : 0)
            | (isUsual ? 0 : Has.OtherContent)
            | (counts != new RowCounts(counts.Inserted) ? Has.OtherCounts : 0)
            | (chunk.Rejects.Count > 0 ? Has.Rejects : 0)
            | (chunk.Repairs.Count > 0 ? Has.Repairs : 0)
            | (chunk.Findings != default ? Has.Findings : 0)
            | (chunk.FirstId > 0 ? Has.Ids : 0)
            | (chunk.Superseded is { IsEmpty: false } ? Has.Superseded : 0);
        Write((long)has);
        WriteIf(Has.OtherSource, chunk.Source);
        WriteIf(Has.OtherFirst, chunk.FirstRecord);
        WriteIf(Has.OtherLastSource, chunk.LastSource);
        Write(chunk.LastRecord - chunk.FirstRecord);
        Write(chunk.FirstOffset - _end.Offset);
        Write(chunk.LastOffset - chunk.FirstOffset);
        Write(chunk.Batches);
        Write(counts.Inserted);
        if (isUsual)
        {
            _open.Write(content);
        }
        else
        {
            Write(chunk.Content);
        }

        if (has.HasFlag(Has.OtherCounts))
        {
            long[] others = [counts.Updated, counts.Unchanged, counts.Ignored, counts.Deleted, counts.DeletedRows, counts.MatchedRows,
                counts.ChangedRows, counts.Counted, counts.Compared, counts.Superseded, counts.NotFound];
            Array.ForEach(others, Write);
        }

        if (has.HasFlag(Has.Rejects))
        {
            Write(chunk.Rejects);
        }

        if (has.HasFlag(Has.Repairs))
        {
            Write(chunk.Repairs);
        }

        WriteIf(Has.Findings, chunk.Findings.Records);
        WriteIf(Has.Findings, chunk.Findings.Reasons);
        WriteIf(Has.Findings, chunk.Findings.Repairs);
        WriteIf(Has.Findings, chunk.Findings.Ids);
        WriteIf(Has.Ids, (long)chunk.FirstId);
        if (has.HasFlag(Has.Superseded))
        {
            Write(chunk.Superseded!.Write());
        }

        _end = new Place(chunk.LastSource, chunk.LastRecord, chunk.LastOffset);

        void WriteIf(Has one, long number)
        {
            if (has.HasFlag(one))
            {
                Write(number);
            }
        }
    }

    private LedgerChunk Decode(ReadOnlySpan<byte> page, ref int at, ref Place before)
    {
        var has = (Has)Read(page, ref at);
        var source = has.HasFlag(Has.OtherSource) ? (int)Read(page, ref at) : before.Source;
        var first = has.HasFlag(Has.OtherFirst) ? Read(page, ref at) : before.Record + 1;
        var lastSource = has.HasFlag(Has.OtherLastSource) ? (int)Read(page, ref at) : source;
        var last = first + Read(page, ref at);
        var firstOffset = before.Offset + Read(page, ref at);
        var lastOffset = firstOffset + Read(page, ref at);
        var batches = Read(page, ref at);
        var taken = new RowCounts(Read(page, ref at));
        string content;
        if (has.HasFlag(Has.OtherContent))
        {
            content = ReadText(page, ref at);
        }
        else
        {
            content = HexText.Of(page.Slice(at, ContentBytes));
            at += ContentBytes;
        }

        if (has.HasFlag(Has.OtherCounts))
        {
            taken = new RowCounts(taken.Inserted, Read(page, ref at), Read(page, ref at), Read(page, ref at))
            {
                Deleted = Read(page, ref at),
                DeletedRows = Read(page, ref at),
                MatchedRows = Read(page, ref at),
                ChangedRows = Read(page, ref at),
                Counted = Read(page, ref at),
                Compared = Read(page, ref at),
                Superseded = Read(page, ref at),
                NotFound = Read(page, ref at),
            };
        }

        var rejects = has.HasFlag(Has.Rejects) ? ReadCounts(page, ref at) : NoCounts;
        var repairs = has.HasFlag(Has.Repairs) ? ReadCounts(page, ref at) : NoCounts;
        var findings = has.HasFlag(Has.Findings)
            ? new IssuePositions(Read(page, ref at), Read(page, ref at), Read(page, ref at), Read(page, ref at))
            : default;
        var firstId = has.HasFlag(Has.Ids) ? (ulong)Read(page, ref at) : 0;
        var superseded = has.HasFlag(Has.Superseded) ? RecordMarks.Read(ReadText(page, ref at)) : null;
        before = new Place(lastSource, last, lastOffset);
        return new LedgerChunk
        {
            Source = source,
            FirstRecord = first,
            FirstOffset = firstOffset,
            LastSource = lastSource,
            LastRecord = last,
            LastOffset = lastOffset,
            Content = content,
            Taken = taken,
            Superseded = superseded,
            Batches = batches,
            Rejects = rejects,
            Repairs = repairs,
            Findings = findings,
            FirstId = firstId,
        };
    }

    /// <summary>Seven bits a byte, the lowest first; small negative numbers are short too.</summary>
    private void Write(long number)
    {
        var rest = (ulong)((number << 1) ^ (number >> 63));
        var to = _open.GetSpan(10);
        var length = 0;
        for (; rest >= 0x80; rest >>= 7)
        {
            to[length++] = (byte)(rest | 0x80);
        }

        to[length++] = (byte)rest;
        _open.Advance(length);
    }

    private static long Read(ReadOnlySpan<byte> page, ref int at)
    {
        var (rest, shift) = (0UL, 0);
        for (; page[at] >= 0x80; shift += 7)
        {
            rest |= (ulong)(page[at++] & 0x7f) << shift;
        }

        rest |= (ulong)page[at++] << shift;
        return (long)(rest >> 1) ^ -(long)(rest & 1);
    }

    private void Write(string text)
    {
        var bytes = Encoding.UTF8.GetBytes(text);
        Write(bytes.Length);
        _open.Write(bytes);
    }

    private static string ReadText(ReadOnlySpan<byte> page, ref int at)
    {
        var length = (int)Read(page, ref at);
        var text = Encoding.UTF8.GetString(page.Slice(at, length));
        at += length;
        return text;
    }

    private void Write(IReadOnlyDictionary<string, long> counts)
    {
        Write(counts.Count);
        foreach (var (word, count) in counts)
        {
            if (_words.IndexOf(word) is var place && place < 0)
            {
                place = _words.Count;
                _words.Add(word);
            }

            Write(place);
            Write(count);
        }
    }

    private Dictionary<string, long> ReadCounts(ReadOnlySpan<byte> page, ref int at)
    {
        var counts = new Dictionary<string, long>(StringComparer.Ordinal);
        for (var left = Read(page, ref at); left > 0; left--)
        {
            var word = _words[(int)Read(page, ref at)];
            counts[word] = Read(page, ref at);
        }

        return counts;
    }

    /// <summary>The end of a chunk: the next one is written relative to it.</summary>
    private readonly record struct Place(int Source, long Record, long Offset);
}
