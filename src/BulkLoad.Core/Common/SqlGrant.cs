namespace BulkLoad.Core.Common;

internal static class SqlGrant
{
    /// <param name="rights">as GRANT writes them, separated by commas</param>
    /// <param name="table">null: all of the database</param>
    /// <param name="account">user and host as CURRENT_USER() writes them; null: unknown, and the result is a sentence</param>
    public static string Of(string rights, string database, string? table, string? account)
    {
        if (account is null)
        {
            return $"GRANT {rights} ON {database}.{table ?? "*"} to it";
        }

        var at = account.LastIndexOf('@');
        var (user, host) = at < 0 ? (account, "%") : (account[..at], account[(at + 1)..]);
        var target = table is null ? $"{SqlName.Quote(database)}.*" : SqlName.Quote(database, table);
        return $"GRANT {rights} ON {target} TO {SqlLiteral.Quote(user)}@{SqlLiteral.Quote(host)}";
    }
}
