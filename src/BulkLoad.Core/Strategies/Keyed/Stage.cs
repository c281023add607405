using System.Buffers;
using System.Security.Cryptography;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies.LoadData;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>
/// Rows of a batch in a temporary table of the session, by LOAD DATA LOCAL where that works, else by INSERTs, each with its place in the
/// batch's order for a number. What is in it is none of the transaction's business.
/// </summary>
internal sealed class Stage
{
    private const long BytesPerInsert = 256 * 1024;
    private const int BestRows = 100_000;

    /// <summary>A table in memory takes two MiB for a hundred thousand integers; more at a time gain nothing.</summary>
    private const int MostRows = 1_000_000;

    /// <summary>A packet of an INSERT is far from what the server takes at most, but for a row that is not.</summary>
    private const int ShareOfPacket = 4;

    private readonly IServerSession _session;
    private readonly LocalLoad? _load;
    private readonly long _bytesPerInsert;
    private bool _isCreated;

    /// <param name="facts">with keys that can be staged</param>
    /// <param name="isInMemory">whether the server keeps it in memory</param>
    public Stage(IServerSession session, LoadFacts facts, bool isInMemory)
    {
        _session = session;
        Sql = SqlOf(facts, isInMemory);
        _bytesPerInsert = Math.Min(BytesPerInsert, facts.Server.MaxAllowedPacket / ShareOfPacket);
        if (facts.Server.LocalInfileRefusal is null)
        {
            // A name that nobody can guess: the server may ask for this stream and for nothing else.
            var name = $"bulkload-{Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(16))}";
            _load = new LocalLoad(Sql.Clear, JobTag.Into(LoadOf(Sql, name), facts.Tag), name);
        }
    }

    /// <summary>What the table is asked.</summary>
    public StagedKeySql Sql { get; }

    /// <summary>How many rows are staged together.</summary>
    public static (SizeRange Rows, SizeRange Bytes) SizeBatches { get; } =
        (new SizeRange("rows-per-batch", BestRows, "sorted and joined together: neighbours lie on the same pages", MostRows, "the program"),
            KeySizes.Bytes);

    /// <summary>How many of them, as far as the plan knows.</summary>
    public static int RowsPerBatch(LoadFacts facts) => (int)SizeBatches.Rows.Choose(facts.Request.RowsPerBatch).Value;

    /// <summary>Why rows cannot be staged, for people; null: they can.</summary>
    public static string? FindObstacle(LoadFacts facts) => facts.Server.LogsStatements
        ? "the server's binary log by statement would bring the staged keys to its replicas"
        : facts.Key!.Stage?.Refusal;

    /// <summary>The table that so many rows get, for people.</summary>
    public static string Describe(LoadFacts facts, int rows) =>
        $"a temporary table{(IsInMemory(facts, rows) ? " in memory" : "")} that "
            + $"{(facts.Server.LocalInfileRefusal is null ? "LOAD DATA" : "INSERT")} fills";

    /// <summary>Whether so many rows fit into a table in memory.</summary>
    public static bool IsInMemory(LoadFacts facts, int rows) => facts.Key!.Stage!.FitsMemory(facts.RowColumns, rows);

    /// <summary>The statements of a table that is filled.</summary>
    public static StagedKeySql SqlOf(LoadFacts facts, bool isInMemory) =>
        new(facts.Table, facts.RowColumns, isInMemory, facts.KeyCount, isIndexed: facts.Key!.Index is null, facts.Tag);

    /// <summary>Questions that wait for an answer, for each batch.</summary>
    public static int RoundTrips(LoadFacts facts) => facts.Server.LocalInfileRefusal is null ? 2 : 1;

    /// <summary>What fills it.</summary>
    public static string Statement(LoadFacts facts, StagedKeySql sql) =>
        facts.Server.LocalInfileRefusal is null ? LoadOf(sql, "bulkload-<random>") : $"{sql.InsertHead}(...), ...";

    /// <summary>Rows in the form in which they are sent. No I/O.</summary>
    public StagedRows CreateRows(LoadFacts facts) => new(Sql, _load is null ? null : new LoadDataText(facts.RowColumns), _bytesPerInsert);

    /// <summary>Puts rows in, and nothing else is there.</summary>
    /// <param name="onSent">called once the server has all of them</param>
    /// <returns>why not; null: they are there as they were sent</returns>
    /// <exception cref="ServerException">a fault that is not about the rows</exception>
    public async ValueTask<BatchRefusal?> FillAsync(StagedRows rows, Action onSent, CancellationToken cancellationToken)
    {
        var watch = _session.Transaction ?? new TransactionWatch();
        watch.IsAside = true;
        try
        {
            return await FillAsideAsync(rows, onSent, cancellationToken);
        }
        finally
        {
            watch.IsAside = false;
        }
    }

    private async ValueTask<BatchRefusal?> FillAsideAsync(StagedRows rows, Action onSent, CancellationToken cancellationToken)
    {
        if (!_isCreated)
        {
            // The session may have the table of a sender before this one, where a chunk is tried again.
            await _session.ExecuteAsync(Sql.Drop, Encoding.UTF8.GetBytes(Sql.Create), cancellationToken);
            _isCreated = true;
        }

        if (_load is { } load)
        {
            var answer = await _session.LoadLocalAsync(load, rows.Text!.Content, null, onSent, cancellationToken);
            return answer.Warnings == 0 && answer.AffectedRows == (ulong)rows.Count
                ? null
                : BatchRefusals.OfAnswer(
                    answer.AffectedRows, rows.Count, await _session.QueryAsync(TransactionSql.FirstWarnings, cancellationToken));
        }

        await PipelineFaults.RunAsync(_session, rows.Inserts, onSent, cancellationToken);
        if (rows.Inserts.Faults.Count > 0)
        {
            return BatchRefusals.OfError(rows.Inserts.Faults[0].Error);
        }

        var (taken, warnings) = rows.CountInserted();
        return warnings == 0 && taken == rows.Count
            ? null
            : BatchRefusals.OfCounts(new OkResult((ulong)taken, 0, warnings, "", 0), rows.Count);
    }

    private static string LoadOf(StagedKeySql sql, string name)
    {
        var (table, columns) = sql.AsTarget;
        return LoadDataSql.Local(name, table, columns, []);
    }
}

/// <summary>Rows of a block on their way into a <see cref="Stage"/>.</summary>
/// <param name="text">takes them for LOAD DATA; null: they go by INSERTs</param>
/// <param name="bytesPerInsert">after which an INSERT is complete</param>
internal sealed class StagedRows(StagedKeySql sql, LoadDataText? text, long bytesPerInsert)
{
    private readonly ArrayBufferWriter<byte> _insert = new();

    /// <summary>The content of a file; null: they go by INSERTs.</summary>
    public LoadDataText? Text => text;

    /// <summary>What empties the table, and INSERTs of the rows.</summary>
    public Pipeline Inserts { get; } = new();

    /// <summary>Rows.</summary>
    public int Count { get; private set; }

    /// <param name="keys">in order; a row's number is its place there</param>
    public void Fill(KeyOrder keys)
    {
        Count = keys.Count;
        if (text is not null)
        {
            text.Fill(keys);
            return;
        }

        Inserts.Clear();
        Inserts.Add(Encoding.UTF8.GetBytes(sql.Clear));
        for (var from = 0; from < Count;)
        {
            _insert.ResetWrittenCount();
            from += sql.WriteInsert(_insert, keys.Block, keys.RowOfBlock, static place => place, from, Count, bytesPerInsert);
            Inserts.Add(_insert.WrittenSpan);
        }
    }

    /// <summary>What the INSERTs were answered, all together.</summary>
    public (long Taken, ushort Warnings) CountInserted()
    {
        var (taken, warnings) = (0L, 0);
        foreach (var answer in Inserts.Answers[1..])
        {
            taken += (long)answer.AffectedRows;
            warnings += answer.Warnings;
        }

        return (taken, (ushort)Math.Min(warnings, ushort.MaxValue));
    }
}
