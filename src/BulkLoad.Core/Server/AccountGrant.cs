using System.Text.RegularExpressions;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Server;

internal static partial class AccountGrant
{
    /// <param name="session">asked for its account if it is still usable</param>
    /// <param name="rights">as GRANT writes them, separated by commas</param>
    /// <param name="table">null: all of the database</param>
    public static async Task<string> OfAsync(
        IServerSession session, string rights, string database, string? table, CancellationToken cancellationToken) =>
        SqlGrant.Of(rights, database, table, await FindAccountAsync(session, cancellationToken));

    private static async Task<string?> FindAccountAsync(IServerSession session, CancellationToken cancellationToken)
    {
        try
        {
            return session.IsUsable && (await session.QueryAsync(CatalogSql.Account, cancellationToken)).Rows is [[var account, ..], ..]
                ? account : null;
        }
        catch (ServerException)
        {
            // The refusal itself must be reported.
            return null;
        }
    }

    /// <summary>The statement that gives the right which a refusal names, with its table.</summary>
    /// <param name="database">of the table, which MySQL does not name</param>
    /// <returns>for the end of a message; empty: the refusal has another reason</returns>
    public static async Task<string> ForAsync(
        IServerSession session, ServerException fault, string? database, CancellationToken cancellationToken) =>
        Denied().Match(fault.Message) is { Success: true } denied
            && (denied.Groups["database"] is { Success: true, Value: var named } ? named : database) is { } place
            ? $": {await OfAsync(session, denied.Groups["rights"].Value, place, denied.Groups["table"].Value, cancellationToken)}"
            : "";

    [GeneratedRegex(
        @"\b(?<rights>[A-Z]+(?:[ ,]+[A-Z]+)*) command denied to user .* table (?:`(?<database>[^`]+)`\.)?[`'](?<table>[^`']+)[`']")]
    private static partial Regex Denied();
}
