using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Server;

/// <summary>
/// Tries LOAD DATA LOCAL on the route itself: zero bytes into the target write nothing and prove all of it. It is tried and not deduced,
/// since server, account, route and proxies decide together.
/// </summary>
internal static class LocalInfileProbe
{
    private const string FileName = "bulkload-probe";

    /// <summary>Null where it works, else why not, for people. What it breaks on may have cost the session.</summary>
    /// <exception cref="PlanException">the account may not insert into the table, or an expression reads the table itself</exception>
    public static async Task<string?> FindRefusalAsync(
        IServerSession session, TableFacts table, IReadOnlyList<TableColumn> row, IReadOnlyList<ColumnAssignment> assignments,
        CancellationToken cancellationToken)
    {
        try
        {
            var statement = LoadDataSql.Local(FileName, table, row, assignments);
            await session.LoadLocalAsync(
                new LocalLoad(null, statement, FileName), ReadOnlyMemory<byte>.Empty, null, null, cancellationToken);
            return null;
        }
        catch (ServerException fault) when (fault.IsAccessDenied)
        {
            throw new PlanException(
                $"this account may not insert into {table.DisplayName} ({fault.ServerText}): GRANT INSERT ON {table.DisplayName} to it",
                fault);
        }
        catch (ServerException fault) when (fault.Error == ServerError.UpdateTableUsed && assignments.Count > 0)
        {
            throw new PlanException($"--set: an expression must not read the table that is loaded ({fault.ServerText})", fault);
        }
        catch (ServerException fault) when (fault.Error == ServerError.NoSuchTable)
        {
            // One that is still to be made. Both servers ask for the table after everything else.
            return null;
        }
        catch (ServerException fault) when (fault.IsReadOnly)
        {
            // Nothing else would work either.
            throw;
        }
        catch (ServerException fault)
            when (fault.Error is ServerError.NotAllowedCommand or ServerError.ClientLocalFilesDisabled
            or ServerError.LoadInfileCapabilityDisabled)
        {
            return $"the server refuses LOAD DATA LOCAL (error {fault.Code}; its local_infile is off)";
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.Protocol)
        {
            return $"LOAD DATA LOCAL does not get through here: {fault.Message} (is there a proxy in between?)";
        }
        catch (ServerException fault) when (fault.Code != 0)
        {
            return $"LOAD DATA LOCAL of nothing failed here: {fault.Message}";
        }
    }
}
