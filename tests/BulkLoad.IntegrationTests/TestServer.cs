namespace BulkLoad.IntegrationTests;

/// <summary>A real server to test against, with an account that may do everything.</summary>
internal sealed record TestServer
{
    public required string Name { get; init; }

    public required string Host { get; init; }

    public required int Port { get; init; }

    /// <summary>Path of its unix socket.</summary>
    public required string Socket { get; init; }

    public required string User { get; init; }

    public required string Password { get; init; }

    /// <summary>Reachable over the socket only, without a password.</summary>
    public required string AdminUser { get; init; }

    public required string Version { get; init; }

    /// <summary>Whether other tests use it at the same time: its settings stay as they are.</summary>
    public bool IsShared { get; init; }

    public bool IsMariaDb => Name == Servers.MariaDb;

    /// <summary>As a user would connect: TCP, everything else at its default.</summary>
    public ConnectionOptions Options() => new()
    {
        Host = Host,
        Port = Port,
        User = User,
        Password = Password,
        OffersLocalInfile = true,
    };

    public ConnectionOptions Options(Way way) => way switch
    {
        Way.Plain => Options() with { SslMode = SslMode.Disabled, GetServerPublicKey = true },
        Way.Tls => Options() with { SslMode = SslMode.Required },
        _ => Options() with { Socket = Socket },
    };

    public ConnectionOptions AdminOptions() => new()
    {
        Socket = Socket,
        User = AdminUser,
        OffersLocalInfile = true,
    };

    public override string ToString() => $"{Name} {Version}";
}
