using System.IO.Hashing;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>Asks the ledger which chunks of a running job are committed. A COMMIT that was answered is believed only until the connection
/// breaks: the server that answers then may have lost it, by a crash with relaxed durability or as a copy that was promoted too
/// early.</summary>
/// <param name="isGalera">whether a node of the cluster may be asked that has not applied all that is committed</param>
internal sealed class LedgerTruth(LedgerSql sql, Func<string> name, bool isGalera, Func<IServerSession> session)
{
    /// <summary>The chunks that count as committed.</summary>
    public LedgerTally Counted { get; private set; }

    /// <summary>What is asked at the job's end, in one group with what ends it: keeps the tally in variables of the session.</summary>
    public string KeepTally => sql.KeepTally(name());

    /// <summary>A condition behind <see cref="KeepTally"/>: the ledger has just the chunks that count as committed.</summary>
    public string IsWhole => LedgerSql.IsTally(Counted.Chunks, Counted.Contents);

    public void Add(LedgerChunk chunk) => Counted = Counted.With(chunk);

    /// <summary>These are, and no others.</summary>
    public void Set(ChunkList chunks) => Counted = chunks.Tally;

    /// <summary>The tally of the chunks that the ledger has. Waits for a session that is about to commit one.</summary>
    public async Task<LedgerTally> AskAsync(CancellationToken cancellationToken) =>
        Read((await AskAsync(sql.LockTally(name()), cancellationToken)).FirstRow, 0);

    /// <summary>The chunks that the ledger has, in the input's order. Waits likewise.</summary>
    public async Task<ChunkList> ReadAsync(CancellationToken cancellationToken) =>
        await LedgerPages.LockChunksAsync(session(), sql, name(), () => AskAsync(cancellationToken), cancellationToken);

    /// <summary>The tally in a row's cells.</summary>
    public static LedgerTally Read(string?[] row, int at) => new(Number(row[at]), Number(row[at + 1]));

    private async Task<TextResultSet> AskAsync(string question, CancellationToken cancellationToken)
    {
        string[] before = isGalera ? [SessionSql.WaitForCluster, LedgerSql.WaitAsUsual] : [LedgerSql.WaitAsUsual];
        return (await session().QueryAllAsync([.. before, question, LedgerSql.WaitBriefly], cancellationToken))[before.Length];
    }

    private static long Number(string? text) => long.Parse(text ?? "0", CultureInfo.InvariantCulture);
}

/// <summary>What the chunks of a job come to: where two of these are equal, so are the chunks.</summary>
/// <remarks>Both servers compute it too, as COUNT and SUM(CRC32(content)): one row answers, whatever the number of chunks.</remarks>
/// <param name="Contents">sum of the CRC-32 of each one's content</param>
internal readonly record struct LedgerTally(long Chunks, long Contents)
{
    public LedgerTally With(LedgerChunk chunk)
    {
        Span<byte> content = stackalloc byte[MostContent];
        return new LedgerTally(Chunks + 1, Contents + Crc32.HashToUInt32(content[..Encoding.ASCII.GetBytes(chunk.Content, content)]));
    }

    /// <summary>Bytes of the ledger's column.</summary>
    private const int MostContent = 64;
}

/// <summary>Whether a job's chunks in the ledger are one piece from the job's first record on.</summary>
internal static class LedgerPieces
{
    /// <summary>The first hole between chunks, or before the first one; null: there is none.</summary>
    /// <remarks>A hole is not filled: the order in which records take effect is part of the promise, and the ledger does not know whether
    /// it matters.</remarks>
    /// <param name="chunks">in the input's order</param>
    /// <param name="endOf">the last record of an input, by its number; null where that is not known</param>
    /// <param name="startOf">records of an input that an earlier job has loaded, so that this one begins behind them; null where that is
    /// not known; no function: none has any</param>
    /// <returns>number of the input, the first record that is missing, and the last</returns>
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

    /// <summary>A chunk's row is written at its beginning, and completed before its COMMIT: one that was committed without that is of a
    /// session that has committed each statement by itself.</summary>
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

    /// <summary>What a start needs of a job that it resumes.</summary>
    /// <param name="chunks">in the input's order</param>
    /// <param name="startOf">as <see cref="FindHole"/> has it</param>
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

    /// <summary>What to do about a hole with records behind it.</summary>
    public const string WayOn = "import the missing records from a separate file, and compare the table with 'bulkload verify'";

    public static string Describe(IReadOnlyList<string> names, int source, long from, long to) =>
        $"{(from == to ? $"record {from:N0}" : $"records {from:N0}-{to:N0}")}{(names.Count > 1 ? $" of {names[source]}" : "")}";
}
