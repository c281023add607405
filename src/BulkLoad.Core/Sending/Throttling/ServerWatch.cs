using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Sending.Throttling;

/// <summary>Asks the server of the job for its load: status variables, and the user's own query.</summary>
internal sealed class ServerWatch(ThrottleOptions options, Func<CancellationToken, Task<IServerSession>> connect) : IAsyncDisposable
{
    private static readonly string[] FalseTexts = ["", "no", "off", "false"];

    private readonly WatchSession _session = new(connect);

    public bool CanStop => options.CriticalLoad.Count > 0;

    private IEnumerable<StatusLimit> Limits => options.MaxLoad.Concat(options.CriticalLoad);

    /// <summary>Asks for each variable once; its value does not matter yet.</summary>
    /// <exception cref="PlanException">the server does not know a variable</exception>
    public async Task RequireNamesAsync(CancellationToken cancellationToken)
    {
        if (Limits.Any())
        {
            await ReadStatusAsync(Limits, cancellationToken);
        }
    }

    /// <summary>Asks for everything.</summary>
    /// <exception cref="StoppedException">a critical limit is exceeded</exception>
    /// <exception cref="PlanException">the server does not know a variable, or refuses the query</exception>
    /// <exception cref="ServerException">the session is lost</exception>
    public async Task<ThrottleState> LookAsync(CancellationToken cancellationToken)
    {
        var worst = ThrottleState.None;
        if (Limits.Any())
        {
            var values = await ReadStatusAsync(Limits, cancellationToken);
            RequireUncritical(values);
            foreach (var (name, most) in options.MaxLoad)
            {
                var value = values[name];
                worst = worst.Or(
                    new ThrottleState("max-load", $"{name} is {Number(value)} (--max-load {Number(most)})", ShareOf(value, most)));
            }
        }

        return worst.IsTooMuch || options.Query is null ? worst : worst.Or(await AskAsync(options.Query, cancellationToken));
    }

    /// <summary>Asks only for what would stop the job.</summary>
    public async Task LookForCriticalAsync(CancellationToken cancellationToken) =>
        RequireUncritical(await ReadStatusAsync(options.CriticalLoad, cancellationToken));

    public ValueTask DisposeAsync() => _session.DisposeAsync();

    private static double ShareOf(double value, long most) => value <= most ? most == 0 ? 0 : value / most : double.PositiveInfinity;

    private void RequireUncritical(Dictionary<string, double> values)
    {
        foreach (var (name, most) in options.CriticalLoad)
        {
            if (values[name] > most)
            {
                throw new StoppedException($"stopped: {name} is {Number(values[name])} (--critical-load {Number(most)})");
            }
        }
    }

    private async Task<Dictionary<string, double>> ReadStatusAsync(IEnumerable<StatusLimit> limits, CancellationToken cancellationToken)
    {
        var names = limits.Select(limit => limit.Name).Distinct(StringComparer.OrdinalIgnoreCase).ToList();
        var values = await ReadNumbersAsync(WatchSql.Status(names), cancellationToken);
        if (names.Find(name => !values.ContainsKey(name)) is not { } unknown)
        {
            return values;
        }

        var known = await ReadNumbersAsync(WatchSql.AllStatus, cancellationToken);
        throw new PlanException($"--max-load and --critical-load: the server has no status variable '{unknown}' that is a "
            + $"number{Names.DidYouMean(unknown, known.Keys)} (SHOW GLOBAL STATUS lists them)");
    }

    /// <summary>Variables that are no numbers are left out; case of names does not matter.</summary>
    private async Task<Dictionary<string, double>> ReadNumbersAsync(string question, CancellationToken cancellationToken)
    {
        var values = new Dictionary<string, double>(StringComparer.OrdinalIgnoreCase);
        foreach (var row in (await _session.AskAsync(_ => question, cancellationToken)).Rows)
        {
            if (double.TryParse(row[1], NumberStyles.Float, CultureInfo.InvariantCulture, out var value))
            {
                values[row[0]!] = value;
            }
        }

        return values;
    }

    private async Task<ThrottleState> AskAsync(string query, CancellationToken cancellationToken)
    {
        TextResultSet rows;
        try
        {
            rows = await _session.AskAsync(_ => query, cancellationToken);
        }
        catch (ServerException fault)
            when (fault.Kind is FaultKind.Configuration or FaultKind.Other or FaultKind.Protocol or FaultKind.Data)
        {
            throw new PlanException($"--throttle-query: {fault.Message}: it has to be one query, which this account may ask", fault);
        }

        if (rows.Columns.Count == 0)
        {
            throw new PlanException("--throttle-query: it answers without rows: it has to be a query");
        }

        return rows.Rows is [[{ } first, ..], ..] && IsTrue(first)
            ? ThrottleState.Stop("throttle-query", "--throttle-query is true")
            : ThrottleState.None;
    }

    private static bool IsTrue(string text) => double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out var number)
        ? number != 0
        : !FalseTexts.Contains(text.Trim(), StringComparer.OrdinalIgnoreCase);

    private static string Number(double value) => value.ToString("0.###");
}

/// <summary>A session for questions only, opened for the first one, and again after it was lost.</summary>
internal sealed class WatchSession(Func<CancellationToken, Task<IServerSession>> connect) : IAsyncDisposable
{
    private IServerSession? _session;

    /// <exception cref="ServerException">the question is refused, or the session is lost</exception>
    public async Task<TextResultSet> AskAsync(Func<ServerIdentity, string> question, CancellationToken cancellationToken)
    {
        if (_session is not { IsUsable: true })
        {
            await DisposeAsync();
            _session = await OpenAsync(cancellationToken);
        }

        return await _session.QueryAsync(question(_session.Server), cancellationToken);
    }

    public ValueTask DisposeAsync() => _session?.DisposeAsync() ?? ValueTask.CompletedTask;

    private async Task<IServerSession> OpenAsync(CancellationToken cancellationToken)
    {
        var session = await connect(cancellationToken);
        try
        {
            session.Bound(AnswerBound.LookUp);
            await session.ExecuteAsync(WatchSql.EachByItself, cancellationToken);
            return session;
        }
        catch
        {
            // Its first question would open a transaction that stays open, and sees nothing new.
            await session.DisposeAsync();
            throw;
        }
    }
}
