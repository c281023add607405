using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Refresh;

/// <summary>Asks the server what <see cref="RefreshRules"/> judges by.</summary>
internal static class RefreshProbe
{
    /// <param name="partition">of it, which alone is refreshed, in any case; null: all of it</param>
    /// <exception cref="PlanException">there is no such table, or it cannot be made exactly the input</exception>
    public static async Task<RefreshFacts> LookAsync(
        IServerSession session, string database, string name, string? partition, CancellationToken cancellationToken)
    {
        var table = await TableProbe.LookAsync(session, database, name, cancellationToken);
        if (!table.UndoesBatches)
        {
            throw new PlanException($"--full-refresh: engine {table.Engine} of {table.DisplayName} cannot undo what failed");
        }

        if (table.Columns.FirstOrDefault(column => !column.CanSelect) is { } hidden)
        {
            throw new PlanException($"--full-refresh: this account may not read column '{hidden.Name}' of {table.DisplayName}, so that "
                + $"nobody would know whether it has changed: {table.Grant("SELECT")}");
        }

        var sql = new RefreshSql(database);
        var (definition, references) = await TableProbe.DefineAsync(session, table, cancellationToken);
        var hasStatistics = await HasStatisticsAsync(session, sql, table, cancellationToken);
        var facts = new RefreshFacts(table, definition, references, hasStatistics);
        return partition is null ? facts : await AddPartitionsAsync(session, sql, facts, partition, cancellationToken);
    }

    /// <summary>Of a table's rows and of its definition: another one for other rows, or for another definition.</summary>
    public static async Task<Fingerprint> TakeAsync(
        IServerSession session, RefreshFacts facts, bool locks, CancellationToken cancellationToken)
    {
        var sum = ExactSql.Sum(facts.Table);
        return new Fingerprint((await session.QueryAsync(locks ? RefreshSql.Locking(sum) : sum, cancellationToken)).Scalar!, facts.Lasting);
    }

    private static async Task<RefreshFacts> AddPartitionsAsync(
        IServerSession session, RefreshSql sql, RefreshFacts facts, string partition, CancellationToken cancellationToken)
    {
        var rows = (await session.QueryAsync(PartitionSql.Named(facts.Table.Database, facts.Table.Name), cancellationToken)).Rows;
        var partitions = rows.Select(row => new PartitionFacts(row[0]!, PartitionSql.OthersThan(row))).ToList();
        var found = partitions.Find(one => one.Name.Equals(partition, StringComparison.OrdinalIgnoreCase));
        return facts with
        {
            Table = facts.Table with { Partition = found?.Name },
            Partitions = partitions,
            HasInstantColumns = !session.Server.IsMariaDb
                && await HasAsync(session, sql.InstantColumns(facts.Table.Name), cancellationToken),
        };
    }

    private static async Task<bool> HasStatisticsAsync(
        IServerSession session, RefreshSql sql, TableFacts table, CancellationToken cancellationToken) => await HasAsync(
            session, session.Server.IsMariaDb ? sql.PersistentStatistics(table.Name) : sql.Histograms(table.Name), cancellationToken);

    /// <summary>Whether a question has an answer that the account may see.</summary>
    private static async Task<bool> HasAsync(IServerSession session, string question, CancellationToken cancellationToken)
    {
        try
        {
            return (await session.QueryAsync(question, cancellationToken)).Rows.Count > 0;
        }
        catch (ServerException fault) when (fault.Code > 0 && session.IsUsable && !fault.EndsTransaction)
        {
            // MariaDB's tables of statistics are for those who may read mysql, MySQL's of InnoDB's tables for those with PROCESS.
            return false;
        }
    }
}

/// <param name="Sum">the number of rows, a colon, and a sum of their content</param>
/// <param name="Definition">without the table's name</param>
internal sealed record Fingerprint(string Sum, string Definition)
{
    public long Rows => long.Parse(Sum.Split(':')[0], CultureInfo.InvariantCulture);

    /// <summary>For the ledger.</summary>
    public TableState State => Of(Sum, Definition);

    public static TableState Of(string sum, string definition) => new(sum, RefreshNames.Digest(definition));

    public override string ToString() => $"{Sum}\0{Definition}";
}
