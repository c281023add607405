using System.Buffers.Binary;
using System.Security.Cryptography;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>The rows of the index by which a job is found: by its inputs' content and their paths. Pure.</summary>
internal static class JobIndex
{
    /// <summary>Ranks of incomplete jobs begin here.</summary>
    public const long Open = 1L << 62;

    public const long Last = long.MaxValue;

    /// <summary>The rank of an input that was not read to its end: only its first record is known.</summary>
    public const long NoHalf = 1;

    /// <summary>A longer beginning is found by the first bytes.</summary>
    public const long MaxByFirst = Feed.SourceContent.HeadBytes;

    private const int PlaceBits = 22;

    public static string UnfinishedOf(string family) => KeyOf(family, 'u');

    public static string DoneOf(string family) => KeyOf(family, 'd');

    /// <summary>Rank of a time in <see cref="DoneOf"/>.</summary>
    public static long RankOf(DateTime time) => time.Ticks / TimeSpan.TicksPerMicrosecond;

    public static string FirstOf(string family, JobSource source) => KeyOf(family, 'f', source.Mapping, source.First);

    public static string PathOf(string family, JobSource source) => KeyOf(family, 'p', source.Mapping, source.Path);

    /// <summary>By the first bytes: lengths of beginnings.</summary>
    public static string HeadOf(string family, JobSource source) => KeyOf(family, 'g', source.Mapping, source.Head);

    public static string HalfOf(string family, JobSource source, long? length, string? half) =>
        KeyOf(family, 'h', source.Mapping, $"{length}", half);

    public static string WholeOf(string family, JobSource source, long length, string whole) =>
        KeyOf(family, 'w', source.Mapping, $"{length}", whole);

    /// <summary>By the last line.</summary>
    public static string EndOf(string family, JobSource source, string last) => KeyOf(family, 'e', source.Mapping, last);

    public static string RejectsOf(string family, string path) => KeyOf(family, 'r', path);

    /// <summary>Ranks of jobs whose inputs have that length, the lowest and the highest.</summary>
    public static (long From, long To) OfLength(long length) =>
        (Math.Min(length, (Open >> PlaceBits) - 1) << PlaceBits, ((Math.Min(length, (Open >> PlaceBits) - 1) + 1) << PlaceBits) - 1);

    public static long LengthOf(long rank) => rank >> PlaceBits;

    /// <summary>Ranks of equal content with the same name and rules.</summary>
    public static (long From, long To) OfName(JobSource source, IReadOnlyDictionary<string, string> rules)
    {
        var name = HashOf(ContentName.Of(source), JobRules.Digest(rules), JobRules.Digest(source.Rules))
            & (long.MaxValue >> 2 >> PlaceBits);
        return (name << PlaceBits, ((name + 1) << PlaceBits) - 1);
    }

    /// <summary>Ranks of complete jobs of a path, by the first record.</summary>
    public static (long From, long To) OfFirst(string? first)
    {
        var rank = 1 + (HashOf(first) & ((long.MaxValue >> 2 >> PlaceBits) - 1));
        return (rank << PlaceBits, ((rank + 1) << PlaceBits) - 1);
    }

    /// <summary>All rows of a job, in the order in which they are locked.</summary>
    public static IReadOnlyList<IndexRow> RowsOf(string id, JobRecord job)
    {
        if (job.Family.Length == 0)
        {
            return [];
        }

        var rows = new List<IndexRow>();
        var place = HashOf(id) & ((1L << PlaceBits) - 1);
        var open = Open | (HashOf(id) & (Open - 1));
        foreach (var source in job.Sources)
        {
            if (source.First is not null)
            {
                AddWithMarker(FirstOf(job.Family, source), job.Completed is null ? open : FirstRank(source));
            }

            if (source.Path is not null)
            {
                AddWithMarker(PathOf(job.Family, source), job.Completed is null ? open : OfFirst(source.First).From + place);
            }

            if (job.Completed is not null)
            {
                AddContent(source);
            }
        }

        if (job.Completed is null)
        {
            rows.Add(new IndexRow(UnfinishedOf(job.Family), 1 + (HashOf(id) & (Open - 1)), id));
        }
        else
        {
            rows.Add(new IndexRow(DoneOf(job.Family), RankOf(job.Completed.Value), id));
            if (job.RejectFile is { } rejects)
            {
                rows.Add(new IndexRow(RejectsOf(job.Family, rejects), 0, id));
            }
        }

        rows.Sort(Compare);
        return [.. rows.Where((row, i) => i == 0 || row != rows[i - 1])];

        void AddWithMarker(string key, long rank)
        {
            rows.Add(new IndexRow(key, 0, ""));
            rows.Add(new IndexRow(key, rank, id));
        }

        void AddContent(JobSource source)
        {
            if (source is not { First: not null, Whole: { } whole, Length: > 0 and { } length })
            {
                return;
            }

            if (source.HalfLength >= MaxByFirst)
            {
                rows.Add(new IndexRow(HeadOf(job.Family, source), source.HalfLength.Value, id));
            }

            rows.Add(new IndexRow(HalfOf(job.Family, source, source.HalfLength, source.Half), OfLength(length).From + place, id));
            rows.Add(new IndexRow(WholeOf(job.Family, source, length, whole), OfName(source, job.Rules).From + place, id));
            if (source.Last is { } last)
            {
                AddWithMarker(EndOf(job.Family, source, last), OfLength(length).From + place);
            }
        }
    }

    /// <summary>The order in which rows are locked.</summary>
    public static int Compare(IndexRow one, IndexRow other)
    {
        var order = string.CompareOrdinal(one.Key, other.Key);
        return order != 0 ? order : one.Rank != other.Rank ? one.Rank.CompareTo(other.Rank) : string.CompareOrdinal(one.Job, other.Job);
    }

    /// <param name="others">sorted, as <paramref name="rows"/></param>
    public static IReadOnlyList<IndexRow> Except(IReadOnlyList<IndexRow> rows, IReadOnlyList<IndexRow> others)
    {
        var left = new List<IndexRow>();
        var next = 0;
        foreach (var row in rows)
        {
            while (next < others.Count && Compare(others[next], row) < 0)
            {
                next++;
            }

            if (next == others.Count || others[next] != row)
            {
                left.Add(row);
            }
        }

        return left;
    }

    /// <summary>The rank of complete jobs of a first record: the length of the beginning that is compared.</summary>
    private static long FirstRank(JobSource source) =>
        source.Half is null ? NoHalf : 1 + Math.Min(source.HalfLength ?? 0, MaxByFirst);

    private static string KeyOf(string family, char kind, params string?[] words) =>
        words.Length == 0 ? $"/{family}{kind}" : $"/{family}{kind}{Convert.ToHexStringLower(Digest(words))[..32]}";

    private static long HashOf(params string?[] words) => BinaryPrimitives.ReadInt64BigEndian(Digest(words)) & long.MaxValue;

    private static byte[] Digest(string?[] words) =>
        SHA256.HashData(Encoding.UTF8.GetBytes(string.Join('\0', words.Select(word => $"{word?.Length}:{word}"))));
}

/// <param name="Job">as it was committed last</param>
internal sealed record FoundJob(string Id, JobRecord Job)
{
    /// <exception cref="PlanException">it cannot be read; says what the user can do</exception>
    public static FoundJob Read(string?[] row)
    {
        try
        {
            return new FoundJob(row[0]!, JobRecord.Read(row[1]));
        }
        catch (PlanException fault)
        {
            throw Unreadable(row[0]!, fault);
        }
    }

    public static PlanException Unreadable(string job, PlanException fault) => new($"job {job}: {fault.Message}", fault)
    {
        WaysOn = [new WayOn($"'bulkload jobs forget {job}' removes the job from the ledger")],
    };

    public IReadOnlyList<IndexRow> Rows => JobIndex.RowsOf(Id, Job);
}

/// <summary>The index of jobs, as a start reads it.</summary>
internal interface IJobIndex
{
    Task<IReadOnlySet<string>> FindKeysAsync(IReadOnlyCollection<string> keys);

    /// <summary>The keys that exist, and the rows of the ranges. A range may be left out whose key is one of these, and does not
    /// exist.</summary>
    Task<(IReadOnlySet<string> There, IReadOnlyList<IndexRow> Rows)> FindAsync(
        IReadOnlyCollection<string> keys, IReadOnlyCollection<IndexRange> ranges);

    Task<IReadOnlyList<IndexRow>> FindRowsAsync(IReadOnlyCollection<IndexRange> ranges);

    Task<bool> HasOthersAsync(string family, string name);

    Task<IReadOnlyList<FoundJob>> ReadJobsAsync(IReadOnlyCollection<string> ids);
}

internal sealed class MemoryJobIndex(IReadOnlyList<FoundJob> jobs) : IJobIndex
{
    private readonly ILookup<string, IndexRow> _rows =
        jobs.SelectMany(one => JobIndex.RowsOf(one.Id, one.Job)).Distinct().ToLookup(row => row.Key, StringComparer.Ordinal);

    public Task<IReadOnlySet<string>> FindKeysAsync(IReadOnlyCollection<string> keys) =>
        Task.FromResult<IReadOnlySet<string>>(keys.Where(key => _rows[key].Any(row => row.Rank == 0)).ToHashSet(StringComparer.Ordinal));

    public async Task<(IReadOnlySet<string> There, IReadOnlyList<IndexRow> Rows)> FindAsync(
        IReadOnlyCollection<string> keys, IReadOnlyCollection<IndexRange> ranges) =>
        (await FindKeysAsync(keys), await FindRowsAsync(ranges));

    public Task<IReadOnlyList<IndexRow>> FindRowsAsync(IReadOnlyCollection<IndexRange> ranges) =>
        Task.FromResult<IReadOnlyList<IndexRow>>([.. ranges.SelectMany(range => _rows[range.Key]
            .Where(row => row.Rank >= range.From && row.Rank <= range.To).OrderByDescending(row => row.Rank).Take(range.Max))]);

    public Task<bool> HasOthersAsync(string family, string name) => Task.FromResult(jobs.Any(one => one.Id != name));

    public Task<IReadOnlyList<FoundJob>> ReadJobsAsync(IReadOnlyCollection<string> ids) =>
        Task.FromResult<IReadOnlyList<FoundJob>>([.. jobs.Where(one => ids.Contains(one.Id))]);
}

/// <summary>The name by which equal content counts as the same file: the file's own without the extension of a compression, and with its
/// folder's where that has a digit, as in <c>2026-11-26/errors.csv</c>.</summary>
internal static class ContentName
{
    public static string Of(JobSource source)
    {
        var path = source.Path ?? source.Name;
        var name = Path.GetFileName(path);
        name = CompressionFormat.Unpacked(name);
        var folder = Path.GetFileName(Path.GetDirectoryName(path) ?? "");
        return folder.Any(char.IsAsciiDigit) ? $"{folder}/{name}" : name;
    }
}
