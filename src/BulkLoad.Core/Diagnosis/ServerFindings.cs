using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Diagnosis;

/// <summary>A server's own data, as findings. Pure.</summary>
internal static class ServerFindings
{
    public const string Server = "server", Limits = "limits";

    /// <summary>Server versions that every change of this program is tested with.</summary>
    private const string TestedMariaDb = "10.11", TestedMySql = "9.7";

    private static readonly string[] KeyDemands = ["sql_require_primary_key", "innodb_force_primary_key"];
    private static readonly string[] ReadOnlySettings = ["read_only", "super_read_only", "innodb_read_only", "offline_mode"];

    /// <summary>A smaller difference of two clocks is no finding.</summary>
    private static readonly TimeSpan LittleSkew = TimeSpan.FromSeconds(5);

    /// <summary>A packet of the recommended size has room for a record of the largest default size and its statement.</summary>
    private const long RecommendedPacket = 64L * 1024 * 1024, MinPacket = 1024 * 1024;

    /// <param name="account">the one whose rights count</param>
    /// <param name="tls">version and cipher; empty: no TLS</param>
    public static IEnumerable<Finding> OfServer(
        ServerIdentity server, ServerVariables variables, ConnectionOptions connection, string account, (string Version, string Cipher) tls)
    {
        yield return OfVersion(server);
        yield return new Finding(
            Server, "address", FindingState.Ok, $"{server.Endpoint}{(connection.Socket is null ? "" : " (unix socket)")}");
        if ((variables["server_uuid"] ?? variables["server_id"]) is { } id)
        {
            yield return new Finding(Server, variables["server_uuid"] is null ? "server-id" : "server-uuid", FindingState.Ok, id);
        }

        yield return new Finding(Server, "account", FindingState.Ok, account);
        yield return OfSecurity(server, connection, tls);
    }

    /// <summary>Settings that limit or endanger a load.</summary>
    /// <param name="readOnlyRefusal">the server's error for a change; null: it gave none</param>
    /// <param name="isTried">whether a change was tried, one that could not succeed</param>
    /// <param name="primary">host and port of the server that takes changes in place of this one; null: not known</param>
    public static IEnumerable<Finding> OfSettings(
        ServerVariables variables, string? readOnlyRefusal, bool isTried, string? primary = null)
    {
        yield return OfPacket(variables.Number("max_allowed_packet"));
        yield return OfReadOnly(variables, readOnlyRefusal, isTried, primary);
        if (variables.Number("max_prepared_stmt_count") == 0)
        {
            yield return new Finding(
                Limits, "prepared-statements", FindingState.Note,
                "max_prepared_stmt_count is 0: rows are sent as text, and bulk execution is not possible",
                DoctorSql.SetGlobal("max_prepared_stmt_count", "16382"));
        }

        foreach (var demand in KeyDemands.Where(variables.IsOn))
        {
            yield return new Finding(Limits, "primary-key", FindingState.Note, $"{demand} is ON: a new table needs a primary key",
                "bulkload import --create --primary-key COLUMN");
        }

        foreach (var bound in OfTransactions(variables))
        {
            yield return bound;
        }

        yield return OfDurability(variables);
    }

    /// <param name="skew">how much the server's clock is ahead of this machine's</param>
    public static IEnumerable<Finding> OfSession(ServerFacts server, ServerVariables variables, TimeSpan skew)
    {
        if (server.Topology is { } topology)
        {
            yield return new Finding(Server, "topology", FindingState.Ok, topology.Text);
        }

        if (server.IsGalera)
        {
            yield return new Finding(Limits, "galera", FindingState.Note,
                "a node of a Galera cluster: a transaction that another node contradicts fails at its COMMIT, and is sent again");
        }

        yield return OfReplication(server, variables);
        yield return new Finding(Limits, "round-trip", FindingState.Ok,
            $"{server.RoundTrip.TotalMilliseconds.ToString("0.00", CultureInfo.InvariantCulture)} ms");
        yield return server.Zone.Zone is not null
            ? new Finding(Limits, "time-zone", FindingState.Ok, $"{server.Zone.Name}")
            : new Finding(
                Limits, "time-zone", FindingState.Note,
                $"{server.Zone.Name}: this machine does not know that zone, so times with an offset are refused",
                        "--time-zone Europe/Berlin (a name, an offset or UTC)");
        yield return OfClock(skew);
    }

    private static Finding OfVersion(ServerIdentity server)
    {
        var isTested = $"{server.Version.Major}.{server.Version.Minor}" == (server.IsMariaDb ? TestedMariaDb : TestedMySql);
        var name = $"{(server.IsMariaDb ? "MariaDB" : "MySQL")} {server.VersionText}";
        return isTested
            ? new Finding(Server, "version", FindingState.Ok, $"{name} (tested)")
            : new Finding(Server, "version", FindingState.Note,
                $"{name}: not tested; bulkload is tested with MariaDB {TestedMariaDb} and MySQL {TestedMySql}");
    }

    private static Finding OfSecurity(ServerIdentity server, ConnectionOptions connection, (string Version, string Cipher) tls)
    {
        const string Verify = "--ssl-mode verify-identity, with --ssl-ca FILE where the system does not trust the certificate";
        if (!server.IsEncrypted)
        {
            return connection.Socket is not null
                ? new Finding(Server, "tls", FindingState.Ok, "none needed: a unix socket")
                : new Finding(
                    Server, "tls", server.IsLocal ? FindingState.Ok : FindingState.Note,
                    server.IsLocal ? "none; the connection stays on this machine"
                        : "not encrypted: anybody on the way can read and change what is sent", server.IsLocal ? null : Verify);
        }

        var isVerified = connection.SslCa is not null || connection.SslMode is SslMode.VerifyCa or SslMode.VerifyIdentity;
        var text = tls.Cipher.Length == 0 ? server.Security : $"{server.Security}, {tls.Cipher}";
        return isVerified
            ? new Finding(Server, "tls", FindingState.Ok,
                $"{text}, verified{(connection.SslMode == SslMode.VerifyIdentity ? " with the host's name" : "")}")
            : new Finding(
                Server, "tls", server.IsLocal ? FindingState.Ok : FindingState.Note,
                $"{text}, not verified{(server.IsLocal ? "" : ": another server could answer in its place")}",
                server.IsLocal ? null : Verify);
    }

    private static Finding OfPacket(long? bytes) => bytes switch
    {
        null => new Finding(Limits, "max-allowed-packet", FindingState.Note, "not known"),
        < MinPacket => new Finding(
            Limits, "max-allowed-packet", FindingState.Note, $"{bytes:N0} bytes: larger records are refused, and statements are small",
            DoctorSql.SetGlobal("max_allowed_packet", $"{RecommendedPacket}")),
        _ => new Finding(Limits, "max-allowed-packet", FindingState.Ok, $"{bytes:N0} bytes"),
    };

    private static Finding OfReadOnly(ServerVariables variables, string? refusal, bool isTried, string? primary)
    {
        var settings = string.Join(", ", ReadOnlySettings.Where(name => variables[name] is { } value && value is not ("OFF" or "0")));
        return refusal is not null ? new Finding(
            Limits, "read-only", FindingState.Problem, $"the server takes no changes: {refusal}",
            primary is null ? "connect to the primary server" : $"connect to the primary server, {primary}")
            : settings.Length > 0
                ? new Finding(
                    Limits, "read-only", FindingState.Note, isTried ? $"{settings} is ON, but this account may write: is this a replica?"
                        : $"{settings} is ON; whether this account may write is known once a database is named")
            : new Finding(Limits, "read-only", FindingState.Ok, "no");
    }

    private static IEnumerable<Finding> OfTransactions(ServerVariables variables)
    {
        foreach (var limit in TransactionLimit.In(variables))
        {
            yield return new Finding(
                Limits, limit.Of.Name.Replace('_', '-'), FindingState.Note,
                $"a transaction may have {limit.Most:N0} {limit.Of.Unit}: chunks are made small enough, and --atomic takes no larger input",
                "--bytes-per-chunk, --rows-per-chunk");
        }
    }

    private static Finding OfDurability(ServerVariables variables)
    {
        string[] relaxed =
        [
            .. variables["innodb_flush_log_at_trx_commit"] is { } flush and not "1" ? [$"innodb_flush_log_at_trx_commit={flush}"]
                : Array.Empty<string>(),
            .. variables.IsOn("log_bin") && variables["sync_binlog"] is { } sync and not "1" ? [$"sync_binlog={sync}"]
                : Array.Empty<string>(),
        ];
        return relaxed.Length == 0
            ? new Finding(Limits, "durability", FindingState.Ok, "commits are on disk before they are answered")
            : new Finding(
                Limits, "durability", FindingState.Note,
                $"{string.Join(", ", relaxed)}: the server may lose what it has committed last when its machine fails",
                string.Join("; ", relaxed.Select(setting => DoctorSql.SetGlobal(setting.Split('=')[0], "1"))));
    }

    private static Finding OfReplication(ServerFacts server, ServerVariables variables)
    {
        var log = variables.IsOn("log_bin") ? $"binary log on ({variables["binlog_format"] ?? "format not known"})" : "no binary log";
        var replicas = server.Replicas > 0
            ? $"{server.Replicas} {Plural.For(server.Replicas, "replica copies", "replicas copy")} from this server: one that takes over "
                + $"may lack what was committed last; --max-lag waits for them"
            : "no replica seen";
        return server.LogsStatements
            ? new Finding(Limits, "replication", FindingState.Note,
                $"{log}; {replicas}; isolation level REPEATABLE READ, and no bulk execution", DoctorSql.SetGlobal("binlog_format", "ROW"))
            : new Finding(Limits, "replication", server.Replicas > 0 ? FindingState.Note : FindingState.Ok, $"{log}; {replicas}");
    }

    private static Finding OfClock(TimeSpan skew)
    {
        var seconds = Math.Abs(skew.TotalSeconds).ToString("N0", CultureInfo.InvariantCulture);
        return skew.Duration() < LittleSkew
            ? new Finding(Limits, "clock", FindingState.Ok, "as this machine's")
            : new Finding(
                Limits, "clock", FindingState.Note,
                $"the server's clock is {seconds} s {(skew > TimeSpan.Zero ? "ahead of" : "behind")} this machine's: CURRENT_TIMESTAMP "
                    + $"defaults and the times in 'bulkload jobs' are the server's");
    }
}
