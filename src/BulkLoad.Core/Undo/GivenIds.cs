using BulkLoad.Core.Facts;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Undo;

/// <summary>Gives the rows that a job has inserted the ids that the server had generated for them, from the file that has them in the order
/// of the records: the rows are loaded into a table of their own first, and numbered as they come.</summary>
/// <param name="definition">the target's statement, as the server writes it</param>
/// <param name="stem">with which the names of both tables begin</param>
/// <param name="file">of the ids</param>
internal sealed class GivenIds(HeldJob held, TableFacts table, string definition, string stem, string file)
{
    private const int PlacesAtOnce = 1_000;

    private readonly string _ids = SqlName.Fit($"{stem}i_{table.Name}");
    private readonly string _column = table.NumberColumn!;

    /// <summary>Name of the table of the numbered rows.</summary>
    public string Rows { get; } = SqlName.Fit($"{stem}r_{table.Name}");

    /// <summary>The advice for a job whose rows have generated ids; empty: it has kept none.</summary>
    public static string Advise(string? file) =>
        file is null ? "" : $"; the job has saved them in {file}: if it is still the same, name it with --ids-file";

    /// <exception cref="PlanException">the file is not needed, or the job has kept no ids</exception>
    public static void Require(HeldJob held, LoadFacts facts, string? file)
    {
        if (file is null)
        {
            return;
        }

        if (facts.Table.NumberColumn is not { } id || facts.IndexOf(facts.Table.Find(id)) >= 0)
        {
            throw new PlanException($"--ids-file: the server has generated no ids for the rows of job {held.Id}: leave it out");
        }

        if (held.Chunks.Any(chunk => chunk.Taken.Inserted > 0 && chunk.FirstId == 0))
        {
            throw new PlanException($"--ids-file: job {held.Id} has not saved the ids of all of its rows: not each of its starts had "
                + "--ids-file");
        }
    }

    /// <summary>Makes the table of the numbered rows, and that of the ids.</summary>
    public Task BeginAsync(IServerSession session, CancellationToken cancellationToken) => RunAsync(
        session, [CopyText.Create(definition, Quote(Rows), _column), Sql.CreateIds], cancellationToken);

    /// <summary>Fills the table beside the target.</summary>
    /// <param name="load">of the rows, which has filled <see cref="Rows"/></param>
    /// <param name="name">the table's</param>
    /// <exception cref="PlanException">the file has not the ids of the job's rows</exception>
    public async Task FillAsync(
        IServerSession session, LoadRequest load, string name, ILoggerFactory loggers, CancellationToken cancellationToken)
    {
        var report = await new LoadJob(
            new LoadRequest { Connection = load.Connection, Table = SqlName.Quote(_ids), Files = [file], Threads = 1 }.AsTrial(),
            loggers).RunAsync(cancellationToken);
        if (report.Failure is { } failure)
        {
            throw failure;
        }

        cancellationToken.ThrowIfCancellationRequested();
        if (report.Counts.Inserted != held.Chunks.Taken.Inserted)
        {
            throw Other($"it has {Plural.Count(report.Counts.Inserted, "id")}, and the job has inserted "
                + Plural.Count(held.Chunks.Taken.Inserted, "row"));
        }

        await CompareAsync(session, cancellationToken);
        string[] others = [.. ImageSql.Stored(table).Where(column => column != _column)];
        await RunAsync(session, [Sql.Fill(Quote(name), _column, others), TransactionSql.Commit, .. Drops], cancellationToken);
    }

    /// <summary>Removes both tables.</summary>
    public IEnumerable<string> Drops => new[] { Rows, _ids }.Select(new RefreshSql(table.Database).Drop);

    private GivenIdSql Sql => new(Quote(Rows), Quote(_ids));

    private Task RunAsync(IServerSession session, IEnumerable<string> statements, CancellationToken cancellationToken) =>
        BesideStatements.RunAsync(session, table.Database, statements, $"the server does not fill a table beside {table.DisplayName}",
            cancellationToken);

    /// <summary>The ledger has the first id of each chunk.</summary>
    private async Task CompareAsync(IServerSession session, CancellationToken cancellationToken)
    {
        var place = 1L;
        var firsts = new List<(long Place, ulong Id)>();
        foreach (var chunk in held.Chunks)
        {
            if (chunk.Taken.Inserted > 0)
            {
                firsts.Add((place, chunk.FirstId));
            }

            place += chunk.Taken.Inserted;
        }

        foreach (var some in firsts.Chunk(PlacesAtOnce))
        {
            var rows = (await session.QueryAsync(Sql.FindIds(some.Select(first => first.Place)), cancellationToken)).Rows;
            if (some.Zip(rows).FirstOrDefault(pair => $"{pair.First.Id}" != pair.Second[1]) is { Second: { } row, First: var first })
            {
                throw Other($"line {first.Place + 1:N0} has id {row[1]}, and the job got {first.Id} there");
            }
        }

        await session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
    }

    private PlanException Other(string why) => new($"--ids-file: '{file}' has not the ids of job {held.Id}: {why}");

    private string Quote(string name) => SqlName.Quote(table.Database, name);
}
