using BulkLoad.Core.Facts;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>The tables beside the target that have rows as they were before a job changed them (<c>--undoable</c>).</summary>
internal static class ImageTables
{
    /// <summary>Adds to the facts what <see cref="ImageRules"/> judges by, if the user wants rows to be kept.</summary>
    /// <exception cref="PlanException">not all that the job changes could be put back</exception>
    public static async Task<LoadFacts> LookAsync(IServerSession session, LoadFacts facts, CancellationToken cancellationToken)
    {
        if (facts.Request.Undoable is null)
        {
            return facts;
        }

        var references = await session.QueryAsync(
            ConstraintSql.ReferencesTo(facts.Table.Database, facts.Table.Name), cancellationToken);
        facts = facts with
        {
            Images = new ImageFacts(
                ForeignKey.Read(references.Rows), await KeyProbe.EstimateRowBytesAsync(session, facts.Table, cancellationToken),
                facts.Key?.MaxListKeys ?? 0),
        };
        return ImageRules.FindObstacle(facts) is { } obstacle
            ? throw new PlanException($"--undoable: {obstacle}")
            {
                WaysOn = [new WayOn("to do it so that it cannot be undone") { Without = ["--undoable"] }],
            }
            : facts.Key is null ? await FindKeyAsync(session, facts, cancellationToken) : facts;
    }

    private static async Task<LoadFacts> FindKeyAsync(IServerSession session, LoadFacts facts, CancellationToken cancellationToken)
    {
        var found = VerifyRules.FindUniqueKey(facts).Key!;
        var most = await KeyProbe.FindMaxListKeysAsync(session, found.Parts.Count, cancellationToken);
        return facts with { Images = facts.Images! with { Found = found, MaxListKeys = most } };
    }

    /// <summary>Makes the tables before the first row of a job is sent, and records them; those of an earlier start are used.</summary>
    /// <returns>the facts with their names</returns>
    /// <exception cref="PlanException">they cannot be made, or those of an earlier start are no more what they were</exception>
    public static async Task<LoadFacts> PrepareAsync(
        LoadFacts facts, JobLedger? ledger, TimeProvider time, CancellationToken cancellationToken)
    {
        if (ledger is null or { IsNothingToDo: true } or { WasComplete: true } || (facts.Images is null && ledger.Images is null))
        {
            return facts;
        }

        await using var ready = await ReadySession.OpenForTablesAsync(facts.Request.SideConnection, time, cancellationToken);
        var session = ready.Session;
        if (ledger is { Images: { } old, Chunks.Count: 0 })
        {
            // Nothing was committed with them, and the table may have been altered.
            await old.DropAsync(session, cancellationToken);
            await ledger.ChangeAsync(job => job with { Images = null }, cancellationToken);
        }

        if (facts.Images is not { } images)
        {
            return facts;
        }

        var (text, _) = await TableProbe.DefineAsync(session, facts.Table, cancellationToken);
        var definition = KeptImages.DigestOf(TwinText.Lasting(facts.Table.Name, text));
        if (ledger.Images is null)
        {
            await MakeAsync(session, facts, ledger, text, definition, time, cancellationToken);
        }
        else if (ledger.Images.Definition != definition)
        {
            throw new PlanException($"--undoable: {facts.Table.DisplayName} was altered since job {ledger.Identity.Id} began, and its rows "
                + "do not fit the table any more that has them as they were");
        }

        if (await ledger.Images!.FindMissingAsync(session, cancellationToken) is { } missing)
        {
            throw new PlanException($"--undoable: table {missing} is gone, which had rows as they were before an earlier run of this job "
                + "changed them");
        }

        await DropExpiredAsync(session, facts, ledger, time.GetUtcNow().UtcDateTime, cancellationToken);
        return facts with { Images = images with { Before = ledger.Images!.Before, After = ledger.Images.After } };
    }

    /// <summary>Drops tables whose time is over, of jobs that are not being undone; the jobs stay.</summary>
    private static async Task DropExpiredAsync(
        IServerSession session, LoadFacts facts, JobLedger ledger, DateTime now, CancellationToken cancellationToken)
    {
        var sql = LedgerSql.Of(facts);
        foreach (var row in (await session.QueryAsync(sql.JobsWithImages, cancellationToken)).Rows)
        {
            try
            {
                if (row[0] != ledger.Identity.Id && JobRecord.Read(row[1]).Images?.Until <= now
                    && await ExpireAsync(session, sql, row[0]!, now, cancellationToken) is { } images)
                {
                    await images.DropAsync(session, cancellationToken);
                    ledger.Notes.Add($"job {row[0]} cannot be undone any more: its rows of {images.Database}.{images.Table} were kept "
                        + $"until {images.Until:yyyy-MM-dd HH:mm} UTC, and are dropped");
                }
            }
            catch (BulkLoadException) when (session.IsUsable)
            {
                // They stay; 'jobs forget' drops them.
            }
        }
    }

    private static async Task<KeptImages?> ExpireAsync(
        IServerSession session, LedgerSql sql, string id, DateTime now, CancellationToken cancellationToken)
    {
        await session.QueryAllAsync([TransactionSql.RollBack, LedgerSql.WaitBriefly], cancellationToken);
        if ((await session.QueryAsync(sql.LockJob(id), cancellationToken)).Rows is not [var row]
            || JobRecord.Read(row[0]) is not { Undo: null, Completed: not null, Images: { } images } job || images.Until > now)
        {
            await session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
            return null;
        }

        await session.QueryAllAsync([sql.UpdateJob(id, (job with { Images = null }).Write()), TransactionSql.Commit], cancellationToken);
        return images;
    }

    private static async Task MakeAsync(
        IServerSession session, LoadFacts facts, JobLedger ledger, string text, string definition, TimeProvider time,
        CancellationToken cancellationToken)
    {
        var (table, now) = (facts.Table, time.GetUtcNow().UtcDateTime);
        var request = facts.Request;
        var kept = KeptImages.New(table, request.Kind != JobKind.Delete, definition,
            $"{ledger.Identity.Id}\0{now:O}\0{Environment.ProcessId}", now + request.Undoable!.Value) with
        {
            Inserts = request.Kind == JobKind.Import,
            Changes = ImageRules.ChangesRows(request),
        };

        // First the ledger: a table that it does not name would stay for ever.
        await ledger.ChangeAsync(job => job with { Images = kept }, cancellationToken);
        await BesideStatements.RunAsync(
            session, table.Database,
            [
                .. kept.Tables.Select(name => CopyText.Create(text, SqlName.Quote(table.Database, name))),
                .. kept.Inserts ? [ImageSql.AddMark(table, kept.After!)] : (string[])[],
            ],
            $"--undoable: the server does not make a table beside {table.DisplayName}", cancellationToken);
    }
}
