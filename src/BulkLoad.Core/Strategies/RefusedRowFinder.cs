using System.Globalization;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>
/// Which row of a refused INSERT was at fault, where the server's message does not say. What it finds is where narrowing looks first,
/// and never taken for granted.
/// </summary>
internal sealed class RefusedRowFinder(IServerSession session)
{
    private bool _canAsk = true;
    private long? _written;

    /// <summary>An INSERT of so many rows succeeded.</summary>
    public void Count(int rows) => _written += rows;

    /// <summary>An INSERT of one row was refused.</summary>
    public void CountRefused(BatchRefusal refusal) => _written += WasWritten(refusal.Code) ? 1 : 0;

    /// <summary>Another statement comes, of which nobody knows how often it writes.</summary>
    public void Forget() => _written = null;

    /// <summary>Statements were sent of which nobody knows how often they wrote; one that is refused next is to be understood.</summary>
    /// <param name="cancellationToken">closes the session</param>
    public async ValueTask StartAgainAsync(CancellationToken cancellationToken)
    {
        Forget();
        if (!session.Server.IsMariaDb)
        {
            await FindAsync(new BatchRefusal(0, "", null), cancellationToken);
        }
    }

    /// <summary>Asks right after the refusal, before another statement clears what the server knows.</summary>
    /// <param name="refusal">of an INSERT that stopped at the row at fault</param>
    /// <param name="cancellationToken">closes the session</param>
    /// <returns>the refusal with its row, where one was found</returns>
    public async ValueTask<BatchRefusal> FindAsync(BatchRefusal refusal, CancellationToken cancellationToken)
    {
        if (!_canAsk || refusal.Row is not null)
        {
            return refusal;
        }

        try
        {
            var row = session.Server.IsMariaDb ? await AskMariaDbAsync(cancellationToken) : await AskMySqlAsync(refusal.Code, cancellationToken);
            return row is >= 0 and <= int.MaxValue ? refusal with { Row = (int)row } : refusal;
        }
        catch (ServerException fault) when (fault.Code > 0 && session.IsUsable)
        {
            // An older server, or an account that may not ask: then the row is found by halving.
            _canAsk = false;
            return refusal;
        }
    }

    private async ValueTask<long?> AskMariaDbAsync(CancellationToken cancellationToken)
    {
        await session.ExecuteAsync(DiagnosticsSql.KeepRowNumber, cancellationToken);
        return await ReadAsync(DiagnosticsSql.RowNumber, cancellationToken) - 1;
    }

    /// <summary>
    /// The engine is asked to write row after row until one fails, so that the count of writes tells how far it came: a duplicate or
    /// a missing parent is found by writing, a CHECK or a trigger's SIGNAL stands before it.
    /// </summary>
    private async ValueTask<long?> AskMySqlAsync(int code, CancellationToken cancellationToken)
    {
        var before = _written;
        _written = await ReadAsync(DiagnosticsSql.WrittenRows, cancellationToken);
        return _written - before - (WasWritten(code) ? 1 : 0);
    }

    private static bool WasWritten(int code) => code is 1062 or 1452 or 1216;

    private async ValueTask<long?> ReadAsync(string query, CancellationToken cancellationToken) =>
        await session.QueryAsync(query, cancellationToken) is { Rows: [[{ } text]] } && long.TryParse(text, CultureInfo.InvariantCulture, out var number)
            ? number
            : null;
}
