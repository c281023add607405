using System.Data.Common;
using System.Reflection;

namespace BulkLoad.Benchmarks.Drivers;

/// <summary>Another driver for .NET. It is there where the build was told so (<c>-p:Peers=NAME</c>), and is reached by what all of them share.</summary>
/// <param name="Name">of its package</param>
/// <param name="Factory">its factory's type, which has a static field Instance</param>
/// <param name="Words">what its connection string needs beside what all understand</param>
internal sealed record Peer(string Name, string Factory, string Words)
{
    private static readonly Peer[] All =
    [
        new("MySqlConnector", "MySqlConnector.MySqlConnectorFactory, MySqlConnector", "SslMode=None;AllowPublicKeyRetrieval=true"),
        new("MySql.Data", "MySql.Data.MySqlClient.MySqlClientFactory, MySql.Data", "SslMode=Disabled;AllowPublicKeyRetrieval=true;CharSet=utf8mb4"),
        new("NewLife.MySql", "NewLife.MySql.MySqlClientFactory, NewLife.MySql", "SslMode=None;UseServerPrepare=true"),
    ];

    /// <summary>Those that the program was built with.</summary>
    public static IEnumerable<Peer> Present => All.Where(peer => Type.GetType(peer.Factory) is not null);

    /// <summary>The driver's own factory.</summary>
    public DbProviderFactory CreateFactory() =>
        Type.GetType(Factory)?.GetField("Instance", BindingFlags.Public | BindingFlags.Static)?.GetValue(null) as DbProviderFactory
        ?? throw new InvalidOperationException($"{Name} has no {Factory} with a field Instance: this version is another one than the benchmark was written for");

    /// <summary>A new connection each time, since opening one is measured.</summary>
    public string ConnectionString(ConnectionOptions options) => new DbConnectionStringBuilder
    {
        ConnectionString = Words,
        ["Server"] = options.Host,
        ["Port"] = options.Port,
        ["User ID"] = options.User,
        ["Password"] = options.Password ?? "",
        ["Database"] = options.Database!,
        ["Pooling"] = false,
    }.ConnectionString;
}
