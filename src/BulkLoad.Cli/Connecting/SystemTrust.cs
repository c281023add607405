using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Connecting;

/// <summary>The CAs that the system trusts, which take long to read.</summary>
internal static class SystemTrust
{
    /// <summary>Lets them be read only where a connection rests on them.</summary>
    /// <param name="surroundings">read them at the first handshake</param>
    /// <param name="connections">all that will be opened</param>
    public static void PassOverUnlessNeeded(HostEnvironment surroundings, params IEnumerable<ConnectionOptions> connections)
    {
        if (!connections.Any(connection => connection.RestsOnSystemTrust))
        {
            surroundings.PassOverSystemTrust();
        }
    }
}
