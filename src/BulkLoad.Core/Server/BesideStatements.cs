using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Server;

/// <summary>Makes a table beside another one, and looks at it.</summary>
internal static class BesideStatements
{
    /// <summary>By what names people know a table beside another one, and its constraints.</summary>
    /// <param name="definition">the known table's, as the server writes it</param>
    /// <param name="name">of the table beside</param>
    public static async Task<KnownTable> KnowAsync(
        IServerSession session, TableFacts known, string definition, string name, CancellationToken cancellationToken)
    {
        var answers = await session.QueryAllAsync(
            [IndexSql.QuoteNames, new RefreshSql(known.Database).Definition(name)], cancellationToken);
        var text = new TwinText(known.Name, name, session.Server.IsMariaDb);
        return new KnownTable(name, known.Name)
        {
            Constraints = text.Constraints(definition, answers[1].FirstRow[1]!),
        };
    }

    /// <param name="database">in which the account lacks the right, if that is the reason</param>
    /// <param name="refusal">what the server does not do, for people</param>
    /// <exception cref="PlanException">the server refuses a statement</exception>
    public static async Task RunAsync(
        IServerSession session, string database, IEnumerable<string> statements, string refusal, CancellationToken cancellationToken)
    {
        try
        {
            foreach (var statement in statements)
            {
                await session.ExecuteAsync(statement, cancellationToken);
            }
        }
        catch (ServerException fault) when (fault.Code > 0 && session.IsUsable)
        {
            var grant = !fault.IsAccessDenied ? ""
                : $": {await AccountGrant.OfAsync(session, RefreshSql.Rights, database, null, cancellationToken)}";
            throw new PlanException($"{refusal}: {fault.Message}{grant}", fault);
        }
    }
}
