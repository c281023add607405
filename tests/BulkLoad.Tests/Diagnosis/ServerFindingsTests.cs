using BulkLoad.Core.Diagnosis;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Tests.Planning;

namespace BulkLoad.Tests.Diagnosis;

public sealed class ServerFindingsTests
{
    private static readonly ConnectionOptions Tcp = new() { Host = "db.example.org" };

    private static ServerIdentity Server(
        bool isMariaDb = true, string version = "10.11.14", bool isEncrypted = true, bool isLocal = false) => new()
        {
            VersionText = version,
            IsMariaDb = isMariaDb,
            Version = Version.Parse(version),
            ConnectionId = 1,
            IsEncrypted = isEncrypted,
            Security = isEncrypted ? "TLS 1.3" : "not encrypted",
            IsLocal = isLocal,
            Endpoint = "db.example.org:3306",
            User = "app",
        };

    private static ServerVariables Variables(params (string Name, string Value)[] values) =>
        new(values.Select(pair => KeyValuePair.Create(pair.Name, pair.Value)));

    private static Finding OfServer(string name, ServerIdentity server, ConnectionOptions? connection = null) =>
        ServerFindings.OfServer(server, Variables(("server_id", "7")), connection ?? Tcp, "app@%", ("TLSv1.3", "AES")).Single(
            finding => finding.Name == name);

    private static Finding OfSettings(string name, string? refusal, bool isTried, params (string, string)[] values) =>
        ServerFindings.OfSettings(Variables(values), refusal, isTried).Single(finding => finding.Name == name);

    [Theory]
    [InlineData(true, "10.11.2", nameof(FindingState.Ok))]
    [InlineData(true, "11.4.2", nameof(FindingState.Note))]
    [InlineData(false, "9.7.4", nameof(FindingState.Ok))]
    [InlineData(false, "8.0.36", nameof(FindingState.Note))]
    [InlineData(false, "10.11.2", nameof(FindingState.Note))]
    public void A_version_that_nobody_tests_is_a_note(bool isMariaDb, string version, string state) =>
        Assert.Equal(Enum.Parse<FindingState>(state), OfServer("version", Server(isMariaDb, version)).State);

    [Fact]
    public void A_connection_that_others_can_read_is_a_note_and_names_the_option()
    {
        var plain = OfServer("tls", Server(isEncrypted: false));
        Assert.Equal(FindingState.Note, plain.State);
        Assert.Contains("--ssl-mode verify-identity", plain.Fix, StringComparison.Ordinal);
        Assert.Equal(FindingState.Note, OfServer("tls", Server()).State);
        Assert.Equal(FindingState.Ok, OfServer("tls", Server(isEncrypted: false, isLocal: true)).State);
        Assert.Equal(FindingState.Ok, OfServer("tls", Server(isEncrypted: false), Tcp with { Socket = "/run/s" }).State);
    }

    [Theory]
    [InlineData(SslMode.VerifyIdentity, null, "TLS 1.3, AES, verified with the host's name")]
    [InlineData(SslMode.VerifyCa, "ca.pem", "TLS 1.3, AES, verified")]
    [InlineData(SslMode.Preferred, "ca.pem", "TLS 1.3, AES, verified")]
    [InlineData(SslMode.Required, null, "TLS 1.3, AES, not verified: another server could answer in its place")]
    public void It_says_whether_the_certificate_is_verified(SslMode mode, string? ca, string text) =>
        Assert.Equal(text, OfServer("tls", Server(), Tcp with { SslMode = mode, SslCa = ca }).Text);

    [Fact]
    public void A_server_that_takes_no_changes_is_a_problem() =>
        Assert.Equal(
            FindingState.Problem, OfSettings("read-only", "running with --read-only (error 1290)", true, ("read_only", "ON")).State);

    [Fact]
    public void The_primary_is_named_where_it_is_known()
    {
        var finding = ServerFindings.OfSettings(Variables(("read_only", "ON")), "it is read-only", true, "a:3306")
            .Single(finding => finding.Name == "read-only");
        Assert.Equal("connect to the primary server, a:3306", finding.Fix);
    }

    [Fact]
    public void What_the_server_is_a_part_of_is_a_finding_and_a_server_by_itself_has_none()
    {
        Assert.DoesNotContain(
            ServerFindings.OfSession(TestFacts.MariaDb, Variables(), default), finding => finding.Name == "topology");
        var server = TestFacts.MariaDb with { Topology = Topology.OfPrimary(1) };
        Assert.Equal("primary with 1 replica", ServerFindings.OfSession(server, Variables(), default).Single(
            finding => finding is { Section: "server", Name: "topology", State: FindingState.Ok }).Text);
    }

    [Theory]
    [InlineData(true, "read_only is ON, but this account may write: is this a replica?")]
    [InlineData(false, "read_only is ON; whether this account may write is known once a database is named")]
    public void A_read_only_server_that_takes_changes_is_a_note(bool isTried, string text)
    {
        var finding = OfSettings("read-only", null, isTried, ("read_only", "ON"), ("super_read_only", "OFF"));
        Assert.Equal((FindingState.Note, text), (finding.State, finding.Text));
    }

    [Theory]
    [InlineData("1048575", nameof(FindingState.Note))]
    [InlineData("1048576", nameof(FindingState.Ok))]
    public void A_small_packet_is_a_note(string bytes, string state) =>
        Assert.Equal(Enum.Parse<FindingState>(state), OfSettings("max-allowed-packet", null, true, ("max_allowed_packet", bytes)).State);

    [Fact]
    public void Relaxed_durability_is_a_note_with_the_statements()
    {
        var finding = OfSettings(
            "durability", null, true, ("innodb_flush_log_at_trx_commit", "2"), ("log_bin", "ON"), ("sync_binlog", "0"));
        Assert.Equal(FindingState.Note, finding.State);
        Assert.Equal("SET GLOBAL innodb_flush_log_at_trx_commit=1; SET GLOBAL sync_binlog=1", finding.Fix);
        Assert.Equal(FindingState.Ok, OfSettings(
            "durability", null, true, ("innodb_flush_log_at_trx_commit", "1"), ("log_bin", "OFF"), ("sync_binlog", "0")).State);
    }

    [Fact]
    public void Bounds_of_transactions_count_in_a_cluster_only()
    {
        (string, string)[] settings = [("wsrep_max_ws_rows", "1000"), ("wsrep_max_ws_size", "2147483647")];
        Assert.DoesNotContain(ServerFindings.OfSettings(Variables(settings), null, true), finding =>
            finding.Name.StartsWith("wsrep", StringComparison.Ordinal));
        Assert.Contains(
            "1,000 rows", OfSettings("wsrep-max-ws-rows", null, true, [.. settings, ("wsrep_on", "ON")]).Text, StringComparison.Ordinal);
        Assert.Contains("150,000,000 bytes", OfSettings("group-replication-transaction-size-limit", null, true,
            ("group_replication_group_name", "g"), ("group_replication_transaction_size_limit", "150000000")).Text,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("sql_require_primary_key")]
    [InlineData("innodb_force_primary_key")]
    public void A_demand_for_primary_keys_is_a_note(string setting) =>
        Assert.StartsWith(setting, OfSettings("primary-key", null, true, (setting, "ON")).Text, StringComparison.Ordinal);

    [Theory]
    [InlineData(0, nameof(FindingState.Ok), "as this machine's")]
    [InlineData(120, nameof(FindingState.Note), "the server's clock is 120 s ahead of this machine's")]
    [InlineData(-3600, nameof(FindingState.Note), "the server's clock is 3,600 s behind this machine's")]
    public void Clocks_that_differ_are_a_note(int seconds, string state, string text)
    {
        var finding = ServerFindings.OfSession(TestFacts.MariaDb, Variables(), TimeSpan.FromSeconds(seconds)).Single(
            finding => finding.Name == "clock");
        Assert.Equal(Enum.Parse<FindingState>(state), finding.State);
        Assert.StartsWith(text, finding.Text, StringComparison.Ordinal);
    }

    [Fact]
    public void A_binary_log_by_statement_is_a_note_with_the_statement() => Assert.Equal(
        "SET GLOBAL binlog_format=ROW",
        ServerFindings.OfSession(
            TestFacts.MariaDb with { LogsStatements = true }, Variables(("log_bin", "ON"), ("binlog_format", "STATEMENT")), default)
            .Single(finding => finding is { Name: "replication", State: FindingState.Note }).Fix);

    [Fact]
    public void A_zone_that_is_not_known_here_names_the_option() => Assert.StartsWith(
        "--time-zone",
        ServerFindings.OfSession(TestFacts.MariaDb with { Zone = new("CEST", null) }, Variables(), default).Single(
            finding => finding.Name == "time-zone").Fix,
        StringComparison.Ordinal);
}
