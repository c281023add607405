using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Insert;

/// <summary>
/// Prepared INSERTs by their number of rows: the full size for all the run, and the few sizes used last, since narrowing sends the
/// same small ones again and again. Each is held on the server until it makes room or the run ends.
/// </summary>
/// <param name="head">the statement up to and including the word VALUES</param>
/// <param name="columns">of a row's placeholders</param>
/// <param name="tail">what stands behind every row's placeholders</param>
/// <param name="ending">what follows the rows</param>
/// <param name="fullRows">the size that never makes room</param>
internal sealed class InsertStatements(
    IServerSession session, string head, IReadOnlyList<TableColumn> columns, SetText tail, string ending, int fullRows) : IAsyncDisposable
{
    private const int MostSmaller = 12;

    private readonly List<(int Rows, PreparedStatement Statement)> _smaller = [];
    private PreparedStatement? _full;

    /// <summary>The statement of the full size, once it was asked for.</summary>
    public PreparedStatement? Full => _full;

    /// <summary>The statement for so many rows, valid until the next call.</summary>
    public async ValueTask<PreparedStatement> GetAsync(int rows, CancellationToken cancellationToken)
    {
        if (rows == fullRows)
        {
            return _full ??= await PrepareAsync(rows, cancellationToken);
        }

        var found = _smaller.FindIndex(entry => entry.Rows == rows);
        if (found >= 0)
        {
            var entry = _smaller[found];
            _smaller.RemoveAt(found);
            _smaller.Add(entry);
            return entry.Statement;
        }

        if (_smaller.Count == MostSmaller)
        {
            var (_, oldest) = _smaller[0];
            _smaller.RemoveAt(0);
            await CloseAsync(session, oldest);
        }

        var statement = await PrepareAsync(rows, cancellationToken);
        _smaller.Add((rows, statement));
        return statement;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var (_, statement) in _smaller)
        {
            await CloseAsync(session, statement);
        }

        _smaller.Clear();
        if (_full is { } full)
        {
            _full = null;
            await CloseAsync(session, full);
        }
    }

    private ValueTask<PreparedStatement> PrepareAsync(int rows, CancellationToken cancellationToken) =>
        session.PrepareAsync(InsertSql.Prepared(head, columns, tail, rows, ending), cancellationToken);

    /// <summary>Best effort: what matters was answered before, and a lost session is told by whatever is sent next.</summary>
    public static async ValueTask CloseAsync(IServerSession session, PreparedStatement statement)
    {
        try
        {
            if (session.IsUsable)
            {
                await session.CloseAsync(statement, CancellationToken.None);
            }
        }
        catch (ServerException)
        {
        }
    }
}
