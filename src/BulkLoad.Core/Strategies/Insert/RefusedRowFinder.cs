using System.Text.RegularExpressions;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Insert;

/// <summary>Which row of a refused INSERT was at fault, where the server's message does not say. Where rows can be undone, what it finds is
/// where narrowing looks first, and not taken for granted.</summary>
internal sealed class RefusedRowFinder(IServerSession session)
{
    /// <summary>By error number, whether a row that is refused so counts as written.</summary>
    private readonly Dictionary<int, bool> _isWritten = [];
    private bool _canAsk = true;

    /// <summary>Rows that the session has written so far; null: not known.</summary>
    private long? _written;

    /// <summary>The session's calls when that was so.</summary>
    private long _calls = -1;

    /// <summary>Whether the row of the next refusal can be found.</summary>
    public bool IsReady => session.Server.IsMariaDb || _written is not null;

    /// <summary>Before an INSERT: what was known holds no longer if others have used the session, who may have written.</summary>
    public void Begin()
    {
        if (session.Calls != _calls)
        {
            Forget();
        }
    }

    /// <summary>Behind an INSERT and all that it has led to.</summary>
    public void End() => _calls = session.Calls;

    public void Count(int rows) => _written += rows;

    /// <summary>An INSERT of one row was refused. The first one of its kind tells whether such a row counts as written.</summary>
    public async ValueTask CountRefusedAsync(BatchRefusal refusal, CancellationToken cancellationToken)
    {
        if (_written is not { } before)
        {
            return;
        }

        if (_isWritten.TryGetValue(refusal.Code, out var isWritten))
        {
            _written += isWritten ? 1 : 0;
            return;
        }

        _written = await AskAsync(() => ReadAsync(DiagnosticsSql.WrittenRows, cancellationToken));

        // More than one was written where a trigger writes, too: then nothing can be told of what comes.
        _isWritten[refusal.Code] = (_written - before) switch { 0 => false, 1 => true, _ => WasWritten(refusal.Code) };
    }

    /// <summary>Another statement comes, of which nobody knows how often it writes.</summary>
    public void Forget() => _written = null;

    /// <summary>Statements were sent of which nobody knows how often they wrote; one that is refused next is to be understood.</summary>
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
    /// <returns>the refusal with its row, where one was found</returns>
    public async ValueTask<BatchRefusal> FindAsync(BatchRefusal refusal, CancellationToken cancellationToken)
    {
        if (refusal.Row is not null)
        {
            return refusal;
        }

        var row = await AskAsync(
            () => session.Server.IsMariaDb ? AskMariaDbAsync(cancellationToken) : AskMySqlAsync(refusal.Code, cancellationToken));
        return row is >= 0 and <= int.MaxValue ? refusal with { Row = (int)row } : refusal;
    }

    private async ValueTask<long?> AskAsync(Func<ValueTask<long?>> ask)
    {
        if (!_canAsk)
        {
            return null;
        }

        try
        {
            return await ask();
        }
        catch (ServerException fault) when (fault.Code > 0 && session.IsUsable && !fault.EndsTransaction)
        {
            // An older server, or an account that may not ask: then the row is found by halving.
            _canAsk = false;
            return null;
        }
    }

    private async ValueTask<long?> AskMariaDbAsync(CancellationToken cancellationToken)
    {
        await session.ExecuteAsync(DiagnosticsSql.KeepRowNumber, cancellationToken);
        return await ReadAsync(DiagnosticsSql.RowNumber, cancellationToken) - 1;
    }

    /// <summary>The engine is asked to write row after row until one fails, so that the count of writes tells how far it came. Whether the
    /// last of them is the row at fault depends on where that is found: see <see cref="WasWritten"/>.</summary>
    private async ValueTask<long?> AskMySqlAsync(int code, CancellationToken cancellationToken)
    {
        var before = _written;
        _written = await ReadAsync(DiagnosticsSql.WrittenRows, cancellationToken);
        return _written - before - (WasWritten(code) ? 1 : 0);
    }

    /// <summary>A duplicate is found by writing, a CHECK or a trigger's SIGNAL before that. A missing parent is found by writing where
    /// InnoDB looks for it, and before that where the server does, as newer ones: of that and all others, a row that was refused alone has
    /// told it.</summary>
    private bool WasWritten(int code) =>
        _isWritten.TryGetValue(code, out var isWritten)
            ? isWritten
            : (ServerError)code is ServerError.DupEntry or ServerError.NoReferencedRow2 or ServerError.NoReferencedRow;

    private async ValueTask<long?> ReadAsync(string query, CancellationToken cancellationToken) =>
        await session.QueryAsync(query, cancellationToken) is { Rows: [[{ } text]] }
            && long.TryParse(text, CultureInfo.InvariantCulture, out var number)
            ? number
            : null;
}

/// <summary>The row that a server names in a message: <c>... for column 'age' at row 17</c>.</summary>
internal static partial class RowNumberText
{
    /// <summary>0-based row, or null where the message has none.</summary>
    public static int? Find(string message) =>
        Pattern().Match(message) is { Success: true } match
            && int.TryParse(match.Groups[1].ValueSpan, CultureInfo.InvariantCulture, out var row) && row > 0
            ? row - 1
            : null;

    [GeneratedRegex(@"at row (\d+)$", RegexOptions.CultureInvariant)]
    private static partial Regex Pattern();
}
