using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>Whether the table still has what former jobs have committed, as far as can be told by counting its rows.</summary>
/// <param name="job">as this start would write it down</param>
internal sealed class CommittedTable(LoadFacts facts, JobRecord job)
{
    /// <summary>The rows that were committed must still be there, as far as can be told without knowing them, in columns by which values
    /// are judged as before.</summary>
    public async Task RequireSameAsync(
        ILedgerView view, FoundJob found, IReadOnlyList<LedgerChunk> chunks, List<string> notes, CancellationToken cancellationToken)
    {
        var rows = chunks.Sum(chunk => chunk.Taken.Count);
        var isAltered = found.Job.Columns is { } columns && columns != job.Columns;
        if (isAltered && facts.Request.Kind != JobKind.Import)
        {
            throw new PlanException($"the columns of {job.Table} that job {found.Id} uses were altered since it has committed "
                + $"{Plural.Count(rows, "record")}: {JobChooser.WaysOn(found.Id, rows)}");
        }

        await RequireRowsAsync(view, found, chunks.Sum(chunk => chunk.Taken.Present), "has committed", cancellationToken);
        var inserted = chunks.Sum(chunk => chunk.Taken.Inserted);
        if (inserted > 0 && await CountAsync(view, inserted, cancellationToken) is var present && present < inserted)
        {
            throw new PlanException($"table {job.Table} has {Plural.Count(present, "row")}, and job {found.Id} has inserted "
                + $"{inserted:N0}: some of them are gone; {JobChooser.WaysOn(found.Id, rows)}");
        }

        if (isAltered)
        {
            notes.Add($"columns of {job.Table} that job {found.Id} uses were altered since its earlier run: the rest was checked against "
                + "the columns as they are now");
        }
    }

    /// <summary>A table without any row has not those that the job has committed.</summary>
    /// <param name="present">rows that the job has left in it</param>
    /// <param name="done">what the job was or has done, for people</param>
    public async Task RequireRowsAsync(ILedgerView view, FoundJob found, long present, string done, CancellationToken cancellationToken)
    {
        if (present > 0 && await CountAsync(view, 1, cancellationToken) == 0)
        {
            throw new PlanException($"table {job.Table} is empty, and job {found.Id} {done} {Plural.Count(present, "row")} in it: "
                + $"--reload forgets job {found.Id} and does all of it again");
        }
    }

    private async Task<long> CountAsync(ILedgerView view, long most, CancellationToken cancellationToken)
    {
        view.Session.Bound(AnswerBound.Statement);
        try
        {
            return long.Parse((await view.Session.QueryAsync(LedgerSql.CountUpTo(facts.Table.Database, facts.Table.Name, most),
                cancellationToken)).Scalar!, CultureInfo.InvariantCulture);
        }
        catch (ServerException fault) when (fault.IsAccessDenied)
        {
            throw new PlanException($"it is not known whether the rows that were committed are still in {facts.Table.DisplayName}: "
                + $"{fault.ServerText}: GRANT SELECT ON {facts.Table.DisplayName} to the account", fault);
        }
        finally
        {
            view.Session.Bound(AnswerBound.Lock);
        }
    }
}
