using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>Tables that jobs have left which are forgotten.</summary>
internal static class LeftTables
{
    /// <summary>Drops the table with which the job's rows were being taken back.</summary>
    /// <returns>what became of it, for people</returns>
    public static async Task<string> DropAsync(
        IServerSession session, string database, string table, string id, CancellationToken cancellationToken)
    {
        var drop = new RefreshSql(database).Drop(table);
        var what = $"job {id} was being undone, and its other rows stay: {database}.{table}, which had what became of each,";
        try
        {
            await session.ExecuteAsync(drop, cancellationToken);
            return $"{what} is dropped";
        }
        catch (ServerException fault) when (session.IsUsable)
        {
            return $"{what} stays ({fault.ServerText}); by hand: {drop}";
        }
    }

    /// <summary>Tables of a full refresh that are of use without its job.</summary>
    public static async Task<IReadOnlyList<string>> FindAsync(
        IServerSession session, string id, JobRecord? job, CancellationToken cancellationToken)
    {
        List<string> left = [];
        if (job?.Kept is { } kept)
        {
            await AddAsync(kept.Name, $"which {kept.TargetName} was before job {id}");
            await (job.Undo is { } mark && mark.Table != kept.Name ? AddAsync(mark.Table, $"which job {id} had made") : Task.CompletedTask);
        }

        return left;

        async Task AddAsync(string name, string what)
        {
            if (await TableProbe.IsThereAsync(session, kept.Database, name, cancellationToken))
            {
                left.Add($"{kept.Database}.{name}, {what}, stays: DROP TABLE {SqlName.Quote(kept.Database, name)} where nobody needs it");
            }
        }
    }
}
