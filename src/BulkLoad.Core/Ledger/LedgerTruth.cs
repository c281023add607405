using System.IO.Hashing;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>
/// Asks the ledger which chunks of a running job are committed. A COMMIT that was answered is believed only until the connection breaks:
/// the server that answers then may have lost it, by a crash with relaxed durability or as a copy that was promoted too early.
/// </summary>
/// <param name="isGalera">whether a node of the cluster may be asked that has not applied all that is committed</param>
internal sealed class LedgerTruth(LedgerSql sql, Func<string> name, bool isGalera, Func<IServerSession> session)
{
    /// <summary>The chunks that count as committed.</summary>
    public LedgerTally Counted { get; private set; }

    /// <summary>What is asked at the job's end, in one group with what ends it: keeps the tally in variables of the session.</summary>
    public string KeepTally => sql.KeepTally(name());

    /// <summary>A condition behind <see cref="KeepTally"/>: the ledger has just the chunks that count as committed.</summary>
    public string IsWhole => LedgerSql.IsTally(Counted.Chunks, Counted.Contents);

    /// <summary>A chunk is committed.</summary>
    public void Add(LedgerChunk chunk) => Counted = Counted.With(chunk);

    /// <summary>These are, and no others.</summary>
    public void Set(IEnumerable<LedgerChunk> chunks) => Counted = LedgerTally.Of(chunks);

    /// <summary>The tally of the chunks that the ledger has. Waits for a session that is about to commit one.</summary>
    public async Task<LedgerTally> AskAsync(CancellationToken cancellationToken) =>
        Read((await AskAsync(sql.LockTally(name()), cancellationToken)).FirstRow, 0);

    /// <summary>The chunks that the ledger has, in the input's order. Waits likewise.</summary>
    public async Task<IReadOnlyList<LedgerChunk>> ReadAsync(CancellationToken cancellationToken) =>
        [.. (await AskAsync(sql.LockChunks(name()), cancellationToken)).Rows.Select(LedgerChunk.Read)];

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
    /// <summary>With another chunk.</summary>
    public LedgerTally With(LedgerChunk chunk) => new(Chunks + 1, Contents + Crc32.HashToUInt32(Encoding.ASCII.GetBytes(chunk.Content)));

    /// <summary>Of chunks.</summary>
    public static LedgerTally Of(IEnumerable<LedgerChunk> chunks) =>
        chunks.Aggregate(default(LedgerTally), (tally, chunk) => tally.With(chunk));
}
