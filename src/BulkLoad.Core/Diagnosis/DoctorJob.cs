using BulkLoad.Core.Input;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Diagnosis;

/// <summary>Finds out what server, account and route allow. Changes nothing.</summary>
/// <param name="time">this machine's; compared with the server's clock</param>
internal sealed class DoctorJob(DoctorRequest request, TimeProvider time)
{
    private readonly List<Finding> _findings = [];
    private readonly List<StrategyOutlook> _strategies = [];
    private DoctorReport _report = new();

    /// <summary>Examines everything that can be examined; a fault that ends it early is in <see cref="DoctorReport.Failure"/>.</summary>
    /// <exception cref="RequestException">the table's name cannot be read</exception>
    public async Task<DoctorReport> RunAsync(CancellationToken cancellationToken)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        var name = request.Table is { } typed ? TableName.Parse(typed) : null;
        var database = name?.Database ?? request.Connection.Database;
        _report = new DoctorReport
        {
            Database = string.IsNullOrEmpty(database) ? null : database,
            Table = name is null ? null : string.IsNullOrEmpty(database) ? name.Table : $"{database}.{name.Table}",
        };
        try
        {
            // Only the first session waits for a starting server.
            await using var session = await ServerSession.ConnectAsync(
                request.Connection with { OffersLocalInfile = false }, cancellationToken);
            await LookAsync(session, name?.Table, cancellationToken);
        }
        catch (BulkLoadException fault) when (fault is not RequestException)
        {
            _report = _report with { Failure = fault };
        }

        return _report with { Findings = InSections(), Strategies = _strategies };
    }

    private async Task LookAsync(IServerSession session, string? table, CancellationToken cancellationToken)
    {
        session.Bound(AnswerBound.LookUp);
        _report = _report with
        {
            Server = Describe(session.Server),
        };
        var asked = time.GetUtcNow();
        var answers = await session.QueryAllAsync(
            [DoctorSql.Account, DoctorSql.Tls, DoctorSql.Variables(ServerVariables.OfDoctor)], cancellationToken);
        var answered = time.GetUtcNow();
        var account = answers[0].FirstRow[0] ?? session.Server.User;
        var variables = ServerVariables.Read(answers[2]);
        _report = _report with { Account = account };
        _findings.AddRange(ServerFindings.OfServer(session.Server, variables, request.Connection, account, TlsOf(answers[1])));

        var server = await SetUpAsync(session, cancellationToken);
        var database = _report.Database ?? server?.Database;
        _report = _report with { Database = database };
        string? readOnly = null;
        if (database is null)
        {
            _findings.Add(new Finding(RightFindings.Rights, "database", FindingState.Note,
                "no database named: rights and ledger are not looked at", "--database NAME"));
        }
        else
        {
            readOnly = await LookAtDatabaseAsync(session, database, table, account, cancellationToken);
        }

        _findings.AddRange(ServerFindings.OfSettings(
            variables, readOnly, isTried: database is not null, server?.Topology?.Primary));
        if (server is null)
        {
            return;
        }

        _report = _report with { Server = _report.Server! with { Topology = server.Topology } };

        var skew = SkewOf(answers[0].FirstRow[1], asked, answered);
        _findings.AddRange(ServerFindings.OfSession(server, variables, skew));
        var strategies = new StrategyLook(request.Connection, time, variables, account);
        if (table is not null && database is not null)
        {
            await strategies.LookAtTableAsync(database, table, cancellationToken);
        }
        else
        {
            await strategies.LookAtServerAsync(
                database, _findings.FirstOrDefault(finding => finding.Name == "temporary-tables"), cancellationToken);
        }

        _findings.AddRange(strategies.Findings);
        _strategies.AddRange(strategies.Outlooks);
    }

    /// <summary>Sets the session up like one that carries rows.</summary>
    /// <returns>null: the server does not keep a setting, which is a finding</returns>
    private async Task<ServerFacts?> SetUpAsync(IServerSession session, CancellationToken cancellationToken)
    {
        try
        {
            return await ServerProbe.LookAsync(session, new ValueOptions(), time, cancellationToken);
        }
        catch (PlanException fault)
        {
            _findings.Add(new Finding(
                ServerFindings.Server, "session", FindingState.Problem, fault.Message, "connect to the server itself, not to a proxy"));
            return null;
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.Configuration && session.IsUsable)
        {
            _findings.Add(new Finding(
                ServerFindings.Server, "session", FindingState.Problem, $"the server refuses the settings of a session: {fault.Message}"));
            return null;
        }
    }

    /// <returns>the server's error for a change; null: it takes changes, or nobody tried</returns>
    private async Task<string?> LookAtDatabaseAsync(
        IServerSession session, string database, string? table, string account, CancellationToken cancellationToken)
    {
        var probe = new RightProbe(session, database);
        var (facts, missing) = table is null ? (null, null) : await FindTableAsync(session, database, table, cancellationToken);
        IReadOnlyList<ProbedRight> rights =
        [
            .. await probe.OfRowsAsync(facts?.Name, facts?.Columns.Count(column => !column.IsInvisible) ?? 1, cancellationToken),
            .. await probe.OfTablesAsync(facts?.Name, cancellationToken),
        ];
        if (missing is not null)
        {
            _findings.Add(new Finding(RightFindings.Rights, "table", FindingState.Problem, missing));
        }

        if (facts is not null)
        {
            _findings.AddRange(RightFindings.OfTable(facts, account, rights));
            IReadOnlyList<ProbedRight> beside =
            [
                .. await probe.OfRowsAsync(null, 1, cancellationToken),
                .. rights.Where(right => right.Right is "CREATE" or "ALTER" or "DROP"),
            ];
            _findings.AddRange(await ChangeFindings.LookAsync(session, facts, account, beside, cancellationToken));
        }
        else
        {
            var insertable = rights.Any(right => right is { Right: "INSERT", State: RightState.Missing })
                ? (await session.QueryAsync(DoctorSql.InsertableTables(database), cancellationToken)).FirstRow
                : ["0", "0"];
            _findings.AddRange(RightFindings.OfDatabase(database, account, rights, (Number(insertable[0]), Number(insertable[1]))));
        }

        var names = await session.QueryAsync(CatalogSql.TableNames(database), cancellationToken);
        _report = _report with { Tables = [.. names.Rows.Select(row => row[0]!)] };
        await LookAtLedgerAsync(session, request.LedgerSchema ?? database, account, cancellationToken);
        return probe.ReadOnlyRefusal;
    }

    private async Task LookAtLedgerAsync(IServerSession session, string schema, string account, CancellationToken cancellationToken)
    {
        var exists = (await session.QueryAsync(CatalogSql.Table(schema, LedgerSql.TableName), cancellationToken)).Rows.Count > 0;
        var probe = new RightProbe(session, schema);
        var rights = await probe.OfRowsAsync(LedgerSql.TableName, LedgerSql.ColumnCount, cancellationToken);
        var create = exists ? null : await probe.MayCreateAsync(LedgerSql.TableName, cancellationToken);
        _findings.Add(RightFindings.OfLedger(schema, account, exists, rights, create));
        if (!exists || rights.Any(right => right is { Right: "SELECT", State: RightState.Missing }))
        {
            return;
        }

        try
        {
            var (jobs, complete) = await new JobList(request.Connection, schema).CountAsync(cancellationToken);
            var unfinished = jobs - complete;
            _findings.Add(unfinished == 0
                ? new Finding(
                    RightFindings.Ledger, "jobs", FindingState.Ok, $"{Plural.Count(jobs, "job")}, all complete")
                : new Finding(
                    RightFindings.Ledger, "jobs", FindingState.Note,
                    $"{Plural.Count(jobs, "job")}, {unfinished:N0} of them not complete",
                            $"bulkload jobs --database {schema}"));
        }
        catch (PlanException fault)
        {
            _findings.Add(
                new Finding(RightFindings.Ledger, "jobs", FindingState.Problem, fault.Message, "--ledger-schema NAME, or --no-ledger"));
        }
    }

    private static async Task<(TableFacts? Table, string? Missing)> FindTableAsync(
        IServerSession session, string database, string table, CancellationToken cancellationToken)
    {
        try
        {
            return (await TableProbe.LookAsync(session, database, table, cancellationToken), null);
        }
        catch (PlanException fault)
        {
            return (null, fault.Message);
        }
    }

    private static PlannedServer Describe(ServerIdentity server) =>
        new(server.IsMariaDb ? "MariaDB" : "MySQL", server.VersionText, server.Endpoint, server.Security, server.User);

    /// <summary>Sorts the findings by section: they are made in the order of the questions.</summary>
    private Finding[] InSections()
    {
        string[] order = [ServerFindings.Server, RightFindings.Rights, ChangeFindings.Table, ServerFindings.Limits, RightFindings.Ledger];
        return [.. _findings.OrderBy(finding => Array.IndexOf(order, finding.Section))];
    }

    private static (string Version, string Cipher) TlsOf(TextResultSet rows)
    {
        string Find(string name) => rows.Rows.FirstOrDefault(row => name.Equals(row[0], StringComparison.OrdinalIgnoreCase))?[1] ?? "";
        return (Find("Ssl_version"), Find("Ssl_cipher"));
    }

    /// <summary>The server read its clock at some moment between question and answer.</summary>
    private static TimeSpan SkewOf(string? text, DateTimeOffset asked, DateTimeOffset answered) =>
        DateTime.TryParse(
            text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal, out var server)
            ? server < asked.UtcDateTime ? server - asked.UtcDateTime : server > answered.UtcDateTime ? server - answered.UtcDateTime
                : TimeSpan.Zero
            : TimeSpan.Zero;

    private static long Number(string? text) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : 0;
}

internal sealed record DoctorRequest
{
    public required ConnectionOptions Connection { get; init; }

    /// <summary><c>table</c> or <c>database.table</c>; null: the findings are for any table.</summary>
    public string? Table { get; init; }

    /// <summary>The schema of the ledger; null: the table's, or the connection's default database.</summary>
    public string? LedgerSchema { get; init; }
}
