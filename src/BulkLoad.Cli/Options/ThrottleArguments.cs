using System.CommandLine;
using BulkLoad.Cli.Connecting;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Options;

/// <summary>When the job slows down, waits or stops for the sake of others.</summary>
internal sealed class ThrottleArguments : ArgumentGroup
{
    private readonly Option<MaxRate?> _maxRate;
    private readonly Option<StatusLimit[]> _maxLoad;
    private readonly Option<StatusLimit[]> _criticalLoad;
    private readonly Option<TimeSpan?> _maxLag;
    private readonly Option<string[]> _replicas;
    private readonly Option<string?> _query;
    private readonly Option<string?> _pauseFile;
    private readonly Option<TimeSpan?> _runTime;

    public ThrottleArguments() : base("Good neighbour")
    {
        _maxRate = Object(
            "--max-rate", "RATE", "at most this much per second: rows (5000, 5krows) or bytes of input (10MB, 8MiB)", OptionParsers.Rate);
        _maxLoad = Several("--max-load", "NAME=N",
            "wait while a status variable of the server is greater, such as Threads_running=50; repeatable", OptionParsers.StatusLimit);
        _criticalLoad = Several("--critical-load", "NAME=N",
            "stop gracefully when a status variable is greater: exit 8, the same command resumes; repeatable", OptionParsers.StatusLimit);
        _maxLag = Value("--max-lag", "TIME", "wait while a replica is further behind, or does not replicate; needs --check-replica",
            OptionParsers.Time);
        _replicas = Several("--check-replica", "URL",
            "a replica, as mysql://HOST:PORT; account and TLS are those of the server unless it says others; repeatable", text => text);
        _query = Text("--throttle-query", "SQL", "wait while the first value of this query is true (neither 0 nor empty)");
        _pauseFile = Text("--pause-file", "PATH", "wait while this file exists");
        _runTime = Value("--run-time", "TIME", "stop gracefully after this time: exit 8, the same command resumes", OptionParsers.Time);
    }

    /// <summary>All but the replicas: how they are reached is known when the server is (<see cref="BindReplicas"/>).</summary>
    public ThrottleOptions Bind(ParseResult words) => new()
    {
        MaxRate = words.GetValue(_maxRate),
        MaxLoad = words.GetValue(_maxLoad) ?? [],
        CriticalLoad = words.GetValue(_criticalLoad) ?? [],
        MaxLag = words.GetValue(_maxLag),
        Query = words.GetValue(_query),
        PauseFile = words.GetValue(_pauseFile),
        RunTime = words.GetValue(_runTime),
    };

    /// <summary>The replicas as they are reached.</summary>
    /// <param name="server">that is loaded into</param>
    /// <exception cref="RequestException">an URL is malformed</exception>
    public IReadOnlyList<ConnectionOptions> BindReplicas(ParseResult words, ConnectionOptions server) =>
        [.. Settings(words).Select(replica => new ConnectionOptions
    {
        Host = replica.Host ?? new ConnectionOptions().Host,
        Port = replica.Port ?? new ConnectionOptions().Port,
        Socket = replica.Protocol == Transport.Tcp ? null : replica.Socket,
        User = replica.User ?? server.User,
        Password = replica.Password ?? (replica.User is null ? server.Password : null),
        SslMode = replica.SslMode ?? server.SslMode,
        SslCa = replica.SslCa ?? server.SslCa,
        SslCert = replica.SslCert ?? server.SslCert,
        SslKey = replica.SslKey ?? server.SslKey,
        GetServerPublicKey = replica.GetServerPublicKey ?? server.GetServerPublicKey,
        ServerPublicKeyPath = replica.ServerPublicKeyPath ?? server.ServerPublicKeyPath,
        EnableCleartextPlugin = replica.EnableCleartextPlugin ?? server.EnableCleartextPlugin,
        ConnectTimeout = replica.ConnectTimeout ?? server.ConnectTimeout,
        ReadTimeout = replica.ReadTimeout ?? server.ReadTimeout,
    })];

    private IEnumerable<ConnectionSettings> Settings(ParseResult words) =>
        (words.GetValue(_replicas) ?? []).Select(url => ConnectionUrl.Read(url, "--check-replica"));
}
