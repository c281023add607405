using System.IO.Hashing;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>Asks the ledger which chunks of a running job are committed. The answer to a COMMIT is believed only until the connection
/// breaks: the server that answers then may have lost it, by a crash with relaxed durability or as a copy that was promoted too
/// early.</summary>
/// <param name="isGalera">whether the session may be with a node of the cluster that has not applied all commits yet</param>
internal sealed class LedgerTruth(LedgerSql sql, Func<string> name, bool isGalera, Func<IServerSession> session)
{
    public LedgerTally Counted { get; private set; }

    /// <summary>Keeps the tally in variables of the session, in one group with the statements that end the job.</summary>
    public string KeepTally => sql.KeepTally(name());

    /// <summary>A condition behind <see cref="KeepTally"/>: the ledger has exactly the chunks that count as committed.</summary>
    public string IsWhole => LedgerSql.IsTally(Counted.Chunks, Counted.Contents);

    public void Add(LedgerChunk chunk) => Counted = Counted.With(chunk);

    public void Set(ChunkList chunks) => Counted = chunks.Tally;

    /// <summary>Waits for a session that is about to commit a chunk.</summary>
    public async Task<LedgerTally> AskAsync(CancellationToken cancellationToken) =>
        Read((await AskAsync(sql.LockTally(name()), cancellationToken)).FirstRow, 0);

    /// <summary>In the input's order. Waits for a session that is about to commit a chunk.</summary>
    public async Task<ChunkList> ReadAsync(CancellationToken cancellationToken) =>
        await LedgerPages.LockChunksAsync(session(), sql, name(), () => AskAsync(cancellationToken), cancellationToken);

    public static LedgerTally Read(string?[] row, int at) => new(Number(row[at]), Number(row[at + 1]));

    private async Task<TextResultSet> AskAsync(string question, CancellationToken cancellationToken)
    {
        string[] before = isGalera ? [SessionSql.WaitForCluster, LedgerSql.WaitByDefault] : [LedgerSql.WaitByDefault];
        return (await session().QueryAllAsync([.. before, question, LedgerSql.WaitBriefly], cancellationToken))[before.Length];
    }

    private static long Number(string? text) => long.Parse(text ?? "0", CultureInfo.InvariantCulture);
}

/// <summary>A sum over a job's chunks: where two sums are equal, so are the chunks. Both servers compute it too, as COUNT and
/// SUM(CRC32(content)): one row answers, whatever the number of chunks.</summary>
/// <param name="Contents">sum of the CRC-32 of each chunk's content</param>
internal readonly record struct LedgerTally(long Chunks, long Contents)
{
    public LedgerTally With(LedgerChunk chunk)
    {
        Span<byte> content = stackalloc byte[MaxContent];
        return new LedgerTally(Chunks + 1, Contents + Crc32.HashToUInt32(content[..Encoding.ASCII.GetBytes(chunk.Content, content)]));
    }

    /// <summary>Bytes of the ledger's column.</summary>
    private const int MaxContent = 64;
}

/// <summary>Checks that a job's chunks in the ledger are one piece from the job's first record on.</summary>
internal static class LedgerPieces
{
    /// <summary>The first hole before or between chunks; null: there is none. A hole is not filled: the order in which records take effect
    /// is part of the promise, and the ledger does not know whether it matters.</summary>
    /// <param name="chunks">in the input's order</param>
    /// <param name="endOf">the number of an input's last record; null: not known</param>
    /// <param name="startOf">number of an input's records that an earlier job has loaded, so that this one begins behind them; null: not
    /// known; no function: none has any</param>
    /// <returns>number of the input, the first missing record, and the last</returns>
    public static (int Source, long From, long To)? FindHole(
        ChunkList chunks, Func<int, long?> endOf, Func<int, long?>? startOf = null)
    {
        var (source, record) = (0, Start(0));
        foreach (var chunk in chunks)
        {
            for (; source < chunk.Source; (source, record) = (source + 1, Start(source + 1)))
            {
                if (record is { } before && endOf(source) is { } end && end > before)
                {
                    return (source, before + 1, end);
                }
            }

            if (record is { } last && chunk.FirstRecord > last + 1)
            {
                return (source, last + 1, chunk.FirstRecord - 1);
            }

            (source, record) = (chunk.LastSource, chunk.LastRecord);
        }

        return null;

        long? Start(int at) => startOf is null ? 0 : startOf(at);
    }

    /// <summary>A chunk's row is written at its beginning, and completed before its COMMIT: an incomplete row that is committed comes from
    /// a session with autocommit.</summary>
    /// <exception cref="ReconciliationException">there is one</exception>
    public static void RequireComplete(ChunkList chunks, string job)
    {
        if (chunks.Incomplete is { } chunk)
        {
            throw new ReconciliationException($"job {job} has a chunk in the ledger, from record {chunk.FirstRecord:N0} on, that was "
                + "committed before it was complete: autocommit was on then, and some of its records may be in the table: take them out, "
                + "and then the chunk's row, whose content is empty");
        }
    }

    /// <summary>Checks the chunks of a job that is resumed.</summary>
    /// <param name="chunks">in the input's order</param>
    /// <param name="startOf">see <see cref="FindHole"/></param>
    /// <exception cref="ReconciliationException">the chunks are not one piece</exception>
    public static void RequireWhole(
        ChunkList chunks, string job, IReadOnlyList<string> names, string endpoint, Func<int, long?>? startOf = null)
    {
        RequireComplete(chunks, job);
        if (FindHole(chunks, _ => null, startOf) is var (source, from, to))
        {
            throw new ReconciliationException($"{endpoint} has lost {Describe(names, source, from, to)}, which job {job} had committed, "
                + $"and has records after them (a failover or a crash?): nothing was sent; {WayOn}");
        }
    }

    /// <summary>What the user can do about a hole with records behind it.</summary>
    public const string WayOn = "import the missing records from a separate file, and compare the table with 'bulkload verify'";

    public static string Describe(IReadOnlyList<string> names, int source, long from, long to) =>
        $"{(from == to ? $"record {from:N0}" : $"records {from:N0}-{to:N0}")}{(names.Count > 1 ? $" of {names[source]}" : "")}";
}
