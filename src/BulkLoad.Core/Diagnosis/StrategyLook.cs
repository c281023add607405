using BulkLoad.Core.Facts;
using BulkLoad.Core.Inference;
using BulkLoad.Core.Input;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.Core.Diagnosis;

/// <summary>Makes plans without a file, by the same questions as <c>--plan</c>: for all columns of the named table, or for an assumed
/// table. Each plan has a session of its own, since a probe of LOAD DATA LOCAL can cost the session.</summary>
internal sealed class StrategyLook(ConnectionOptions connection, TimeProvider time, ServerVariables variables, string account)
{
    private const string Local = "local-infile";

    /// <summary>Bytes of a record in common examples.</summary>
    private const double RecordBytes = 100;

    /// <summary>Number of keys in a list, if no table tells how many the server looks up.</summary>
    private const int AssumedListKeys = 1000;

    private readonly List<Finding> _findings = [];
    private readonly List<StrategyOutlook> _outlooks = [];

    /// <summary>Findings about LOAD DATA LOCAL, and about commands that cannot be planned.</summary>
    public IReadOnlyList<Finding> Findings => _findings;

    public IReadOnlyList<StrategyOutlook> Outlooks => _outlooks;

    public async Task LookAtTableAsync(string database, string table, CancellationToken cancellationToken)
    {
        IReadOnlyList<TableColumn> columns;
        IReadOnlyList<string> key;
        await using (var session = await ServerSession.ConnectAsync(connection, cancellationToken))
        {
            try
            {
                var facts = await TableProbe.LookAsync(session, database, table, cancellationToken);
                columns = [.. facts.Columns.Where(column => !column.IsGenerated && column.Kind != ColumnKind.Unsupported)];
                key = facts.UniqueKeys is [var first, ..] ? [.. first.Columns] : [];
            }
            catch (PlanException)
            {
                // There is already a finding about it.
                return;
            }
        }

        var name = $"{Backticked(database)}.{Backticked(table)}";
        List<string> inserted = [.. columns.Where(column => column.CanInsert).Select(column => column.Name)];

        // There is a finding already about a missing right to insert.
        var imported = inserted.Count == 0 ? null : await PlanAsync(name, JobKind.Import, inserted, [], cancellationToken);
        AddLocal(imported?.Server.LocalInfileRefusal, imported is null ? "an import into this table cannot be planned" : null);
        if (key.Count == 0)
        {
            _findings.Add(new Finding(RightFindings.Rights, "key", FindingState.Note,
                "the table has no primary or unique key: update and delete need --key", "--key COLUMN,..."));
            return;
        }

        var (keys, others) = (columns.Where(IsOfKey).ToList(), columns.Where(column => !IsOfKey(column)).ToList());
        if (others.Any(column => column.CanUpdate))
        {
            var changed = keys.Concat(others.Where(column => column.CanUpdate)).Select(column => column.Name);
            await PlanAsync(name, JobKind.Update, changed, key, cancellationToken);
        }
        else if (others.Count == 0)
        {
            AddRefusal(JobKind.Update, "the table has no column beside its key that could be changed");
        }

        await PlanAsync(name, JobKind.Delete, key, key, cancellationToken);

        bool IsOfKey(TableColumn column) => key.Contains(column.Name, StringComparer.OrdinalIgnoreCase);
    }

    /// <summary>Uses what server and account allow for any table.</summary>
    /// <param name="database">null: none is named</param>
    /// <param name="temporaryTables">whether the account may make them; null: unknown</param>
    public async Task LookAtServerAsync(string? database, Finding? temporaryTables, CancellationToken cancellationToken)
    {
        await using var ready = await ReadySession.OpenAsync(
            async token => await ServerSession.ConnectAsync(connection with { OffersLocalInfile = true }, token), new ValueOptions(), time,
            cancellationToken);
        var table = Suppose(database ?? "database");
        var (refusal, untried) = ready.Server.LocalInfileRefusal is { } known ? (known, null)
            : await TryLocalAsync(ready.Session, database, table, cancellationToken);
        AddLocal(refusal, untried);
        var server = ready.Server with { LocalInfileRefusal = refusal };
        var stage = temporaryTables is { State: FindingState.Note, Fix: not null }
            ? "the server creates no temporary table here: the right to CREATE TEMPORARY TABLES is missing" : null;
        foreach (var kind in new[] { JobKind.Import, JobKind.Update, JobKind.Delete })
        {
            var facts = new LoadFacts
            {
                Request = RequestOf("t", kind, [], []),
                Server = kind == JobKind.Update ? server with { LocalInfileRefusal = refusal ?? "an update does not offer it" } : server,
                Table = table,
                Columns = kind == JobKind.Delete ? [table.Columns[0]] : table.Columns,
                Fields = [],
                Sources = [LongFile],
                RecordBytes = RecordBytes,
                RecordsCanLackColumns = false,
                Assignments = [],
                Guesses = [],
                Key = kind == JobKind.Import ? null : new KeyFacts
                {
                    Columns = [table.Columns[0]],
                    Indexes = [new TableIndex(UniqueKey.Primary, true, [new KeyPart("id")])],
                    Referring = [],
                    MaxListKeys = AssumedListKeys,
                    MaxListKeysBy = "",
                    Stage = new StageFacts(stage, 0),
                },
            };
            Add(facts);
        }
    }

    /// <summary>A file of unknown length: strategies are compared as for a long one.</summary>
    private static PlannedSource LongFile => new("-", "csv", "none", "utf-8", null, null);

    private static TableFacts Suppose(string database) => new()
    {
        Database = database,
        Name = $"bulkload_none_{Guid.NewGuid():N}",
        Engine = "InnoDB",
        IsTransactional = true,
        Columns =
        [
            ColumnTypes.Integer(0, int.MaxValue) with { Name = "id", IsNullable = false, Default = ColumnDefault.None },
            ColumnTypes.Varchar(100) with { Name = "name", MaxBytes = 400, Collation = "utf8mb4_bin" },
        ],
        InsertTriggers = [],
        UniqueKeys = [new UniqueKey(UniqueKey.Primary, [new KeyPart("id")])],
    };

    /// <returns>why it does not work; and why it was not tried: then the setting decides</returns>
    private async Task<(string? Refusal, string? Untried)> TryLocalAsync(
        IServerSession session, string? database, TableFacts table, CancellationToken cancellationToken)
    {
        var bySetting = variables.IsOff("local_infile") ? "the server's local_infile is off" : null;
        if (database is null)
        {
            return (bySetting, "no database is named");
        }

        try
        {
            return (await LocalInfileProbe.FindRefusalAsync(session, table, table.Columns, [], cancellationToken), null);
        }
        catch (PlanException)
        {
            return (bySetting, "this account may not insert into every table; --table NAME tries it with one");
        }
        catch (ServerException fault) when (fault.IsReadOnly)
        {
            return (bySetting, "the server takes no changes");
        }
    }

    private void AddLocal(string? refusal, string? untried)
    {
        var fix = variables.IsOff("local_infile") ? DoctorSql.SetGlobal("local_infile", "ON") : null;
        var setting = variables["local_infile"] ?? "not known";
        _findings.Add(untried is not null
            ? new Finding(ServerFindings.Limits, Local, FindingState.Note, $"{setting}; LOAD DATA LOCAL was not tried: {untried}", fix)
            : refusal is not null
                ? new Finding(ServerFindings.Limits, Local, FindingState.Note, $"{refusal}: rows go by other strategies", fix)
            : new Finding(ServerFindings.Limits, Local, FindingState.Ok, $"{setting}; LOAD DATA LOCAL was tried, and works"));
    }

    /// <returns>null: there is no plan, which is a finding</returns>
    private async Task<LoadFacts?> PlanAsync(
        string table, JobKind kind, IEnumerable<string> columns, IReadOnlyList<string> key, CancellationToken cancellationToken)
    {
        var request = RequestOf(table, kind, columns, key);
        try
        {
            await using var session = await ServerSession.ConnectAsync(request.WorkConnection, cancellationToken);
            var server = await ServerProbe.LookAsync(session, request.Values, time, cancellationToken);
            using var sources = SourceSet.Look(request, NullLogger.Instance, cancellationToken);
            var facts = await new FactFinder(request, sources, session, isPlan: true).LookAsync(
                server, NullLogger.Instance, cancellationToken);
            facts = facts with { Sources = [LongFile], RecordBytes = RecordBytes };
            Add(facts);
            return facts;
        }
        catch (Exception fault) when (fault
            is PlanException or MappingException or InputException or ServerException { Kind: FaultKind.Configuration })
        {
            // The input is a header that was made for this question: its name and its list of fields tell the user nothing.
            var message = fault.Message.Split('\n')[0];
            var name = $"{request.StandardInputName}: ";
            AddRefusal(kind, message.StartsWith(name, StringComparison.Ordinal) ? message[name.Length..] : message);
            return null;
        }
    }

    private void Add(LoadFacts facts)
    {
        try
        {
            _outlooks.AddRange(StrategyOutlooks.Of(facts, variables, account));
        }
        catch (PlanException fault)
        {
            AddRefusal(facts.Request.Kind, fault.Message);
        }
    }

    private void AddRefusal(JobKind kind, string message) => _findings.Add(new Finding(
        RightFindings.Rights, $"{CommandOf(kind)}-refused", kind == JobKind.Import ? FindingState.Problem : FindingState.Note, message));

    private static string CommandOf(JobKind kind) => kind switch { JobKind.Update => "update", JobKind.Delete => "delete", _ => "import" };

    /// <summary>The request of a command, with a header and no records as its file.</summary>
    private LoadRequest RequestOf(string table, JobKind kind, IEnumerable<string> columns, IReadOnlyList<string> key) => new()
    {
        Kind = kind,
        Files = [InputPaths.StandardInput],
        StandardInput = new MemoryStream(Encoding.UTF8.GetBytes(
            string.Join(',', columns.Select(name => $"\"{name.Replace("\"", "\"\"", StringComparison.Ordinal)}\"")) + "\n")),
        Table = table,
        Connection = connection,
        Source = new SourceOptions { Format = InputFormat.Csv, HasHeader = true },
        Key = new KeyOptions { Columns = key },
        NoLedger = true,
    };

    private static string Backticked(string name) => $"`{name.Replace("`", "``", StringComparison.Ordinal)}`";
}

/// <summary>The planner's verdicts, and what would change those that are unfit. Pure.</summary>
internal static class StrategyOutlooks
{
    /// <summary>The defaults of MySQL, which are enough for every strategy.</summary>
    private const string DefaultPacket = "67108864", DefaultStatements = "16382";

    /// <summary>The decisions for an import, update or delete of a long file whose fields are the table's columns.</summary>
    /// <exception cref="PlanException">no strategy is fit</exception>
    public static IReadOnlyList<StrategyOutlook> Of(LoadFacts facts, ServerVariables variables, string account)
    {
        var plan = LoadPlanner.Decide(facts).Plan;
        return
        [
            .. plan.Verdicts.Select(verdict => new StrategyOutlook(
                plan.Command, verdict.Strategy, verdict.Strategy == plan.Strategy, verdict.IsFit, verdict.Reason,
                verdict.IsFit ? null : FindUnlock(verdict, facts, variables, account))),
        ];
    }

    /// <summary>What makes an unfit strategy fit; null: unknown.</summary>
    private static string? FindUnlock(Verdict verdict, LoadFacts facts, ServerVariables variables, string account)
    {
        var server = facts.Server;
        if (verdict.Strategy == "load-data")
        {
            return verdict.Reason != server.LocalInfileRefusal ? verdict.Reason.Contains("max_allowed_packet", StringComparison.Ordinal)
                ? DoctorSql.SetGlobal("max_allowed_packet", DefaultPacket) : null
                : variables.IsOff("local_infile") ? DoctorSql.SetGlobal("local_infile", "ON")
                : null;
        }

        if (facts.Key?.Stage?.Refusal is { } refusal && verdict.Reason.Contains(refusal, StringComparison.Ordinal))
        {
            return SqlGrant.Of(DoctorSql.TemporaryTables, facts.Table.Database, null, account);
        }

        return server.MaxPreparedStatements == 0 && verdict.Reason.Contains("max_prepared_stmt_count", StringComparison.Ordinal)
            ? DoctorSql.SetGlobal("max_prepared_stmt_count", DefaultStatements)
            : server.LogsStatements && verdict.Reason.Contains("binary log by statement", StringComparison.Ordinal)
                ? DoctorSql.SetGlobal("binlog_format", "ROW")
            : verdict.Reason.Contains("--counts matched", StringComparison.Ordinal) ? "bulkload update --counts matched"
            : null;
    }
}
