using System.Net.Sockets;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>A name under which another server can be reached than before, as behind a failover: connections that are open stay where they
/// are.</summary>
internal sealed class SwitchingRelay : Forwarder
{
    /// <param name="server">where to forward to at first</param>
    public SwitchingRelay(TestServer server)
        : base(server) => Listen();

    protected override async Task ForwardAsync(int number, NetworkStream client, NetworkStream upstream) =>
        await PassAsync(client, upstream);
}
