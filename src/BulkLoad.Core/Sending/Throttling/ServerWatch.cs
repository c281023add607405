using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Sending.Throttling;

/// <summary>Asks the server that is loaded into how it fares: status variables, and the user's own query.</summary>
internal sealed class ServerWatch(ThrottleOptions options, Func<CancellationToken, Task<IServerSession>> connect) : IAsyncDisposable
{
    private static readonly string[] FalseTexts = ["", "no", "off", "false"];

    private readonly WatchSession _session = new(connect);

    /// <summary>Whether there is a limit at which the job stops.</summary>
    public bool CanStop => options.CriticalLoad.Count > 0;

    /// <summary>Asks for everything.</summary>
    /// <exception cref="StoppedException">a critical limit is exceeded</exception>
    /// <exception cref="PlanException">the server does not know what is asked for</exception>
    /// <exception cref="ServerException">the session is lost</exception>
    public async Task<ThrottleState> LookAsync(CancellationToken cancellationToken)
    {
        var worst = ThrottleState.None;
        if (options.MaxLoad.Count + options.CriticalLoad.Count > 0)
        {
            var values = await ReadStatusAsync(options.MaxLoad.Concat(options.CriticalLoad), cancellationToken);
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

    /// <summary>Asks for what would stop the job, and for nothing else.</summary>
    /// <inheritdoc cref="LookAsync" path="/exception"/>
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
        var values = new Dictionary<string, double>(StringComparer.OrdinalIgnoreCase);
        foreach (var row in (await _session.AskAsync(_ => WatchSql.Status(names), cancellationToken)).Rows)
        {
            if (double.TryParse(row[1], NumberStyles.Float, CultureInfo.InvariantCulture, out var value))
            {
                values[row[0]!] = value;
            }
        }

        return names.Find(name => !values.ContainsKey(name)) is { } unknown
            ? throw new PlanException($"--max-load and --critical-load: the server has no status variable '{unknown}' that is a "
                + "number: SHOW GLOBAL STATUS lists them")
            : values;
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
