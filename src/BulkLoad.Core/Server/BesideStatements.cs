using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Server;

/// <summary>Makes a table beside another one.</summary>
internal static class BesideStatements
{
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
