using System.Globalization;
using BulkLoad.Bench;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Benchmarks.Drivers;

/// <summary>A server that the environment names, as eng/servers.sh does, and a database on it that goes at the end.</summary>
internal sealed class BenchServer : IAsyncDisposable
{
    private const string Database = "bulkload_benchmarks";
    public const int SmallBlob = 64 << 10;
    public const int LargeBlob = 1 << 20;

    private readonly ServerSession _admin;

    private BenchServer(ServerSession admin, ConnectionOptions connection) => (_admin, Connection) = (admin, connection);

    /// <summary>MariaDB, MySQL, or both.</summary>
    public static IEnumerable<string> Names => new[] { "MariaDB", "MySQL" }.Where(name => Variable(name, "HOST") is not null);

    /// <summary>The core, and the drivers that the program was built with.</summary>
    public static IEnumerable<string> Drivers => Peer.Present.Select(peer => peer.Name).Prepend(CoreDriver.Name);

    /// <summary>Without TLS, so that drivers are compared and not their TLS.</summary>
    public ConnectionOptions Connection { get; }

    public static async Task<BenchServer> OpenAsync(string name)
    {
        var options = new ConnectionOptions
        {
            Host = Variable(name, "HOST")!,
            Port = int.Parse(Variable(name, "PORT")!, CultureInfo.InvariantCulture),
            User = Variable(name, "USER")!,
            Password = Variable(name, "PASSWORD"),
            SslMode = SslMode.Disabled,
            GetServerPublicKey = true,
        };
        var admin = await BenchPlace.OpenSessionAsync(options, default);
        await admin.ExecuteAsync($"CREATE DATABASE IF NOT EXISTS {Database}", default);
        await admin.ExecuteAsync($"USE {Database}", default);
        await admin.ExecuteAsync(BenchSql.Drop(BatchSql.Users), default);
        await admin.ExecuteAsync(BenchSql.Drop(CallSql.Blobs), default);
        await admin.ExecuteAsync(BenchSql.Create(BatchSql.Users, BatchSql.Definition), default);
        await admin.ExecuteAsync(BenchSql.Create(CallSql.Blobs, CallSql.BlobDefinition), default);
        await admin.ExecuteAsync(CallSql.AddBlob(1, SmallBlob), default);
        await admin.ExecuteAsync(CallSql.AddBlob(2, LargeBlob), default);
        return new BenchServer(admin, options with { Database = Database });
    }

    /// <param name="driver">one of <see cref="Drivers"/></param>
    public Task<IDriver> ConnectAsync(string driver) => driver == CoreDriver.Name
        ? CoreDriver.ConnectAsync(Connection)
        : PeerDriver.ConnectAsync(Peer.Present.Single(peer => peer.Name == driver), Connection);

    /// <summary>So many users, and no others.</summary>
    public Task FillAsync(long rows) => new UsersTable(_admin).FillAsync(rows, default);

    public async ValueTask DisposeAsync()
    {
        await _admin.ExecuteAsync($"DROP DATABASE {Database}", default);
        await _admin.DisposeAsync();
    }

    private static string? Variable(string server, string name) => Environment.GetEnvironmentVariable($"BULKLOAD_TEST_{server.ToUpperInvariant()}_{name}");
}
