namespace BulkLoad.Core.Protocol;

/// <summary>The two opening packets (MySQL "Protocol::SSLRequest" and "Protocol::HandshakeResponse41"; MariaDB "Handshake Response
/// Packet").</summary>
internal static class HandshakeResponse
{
    // utf8mb4_general_ci: the utf8mb4 collation that every server knows.
    private const byte Collation = 45;
    private const uint MaxPacketBytes = 1024 * 1024 * 1024;

    private static readonly string ClientVersion = typeof(HandshakeResponse).Assembly.GetName().Version?.ToString(3) ?? "0";

    /// <summary>A server keeps the flags of the first packet, so both packets have the same.</summary>
    public static ReadOnlyMemory<byte> TlsRequest(Capabilities capabilities, ExtendedCapabilities extended) =>
        Head(capabilities, extended).Payload;

    public static ReadOnlyMemory<byte> Create(
        Capabilities capabilities, ExtendedCapabilities extended, ConnectionOptions options, string plugin, ReadOnlySpan<byte> proof)
    {
        var builder = Head(capabilities, extended).Terminated(options.User).LengthEncoded(proof);
        if (capabilities.HasFlag(Capabilities.ConnectWithDatabase))
        {
            builder.Terminated(options.Database ?? "");
        }

        if (capabilities.HasFlag(Capabilities.PluginAuthentication))
        {
            builder.Terminated(plugin);
        }

        if (capabilities.HasFlag(Capabilities.ConnectAttributes))
        {
            builder.LengthEncoded(Attributes().Span);
        }

        return builder.Payload;
    }

    private static PayloadBuilder Head(Capabilities capabilities, ExtendedCapabilities extended) =>
        new PayloadBuilder().UInt32((uint)capabilities).UInt32(MaxPacketBytes).Byte(Collation).Zeros(19).UInt32((uint)extended);

    private static ReadOnlyMemory<byte> Attributes() => new PayloadBuilder()
        .LengthEncoded("program_name").LengthEncoded("bulkload")
        .LengthEncoded("_client_version").LengthEncoded(ClientVersion)
        .LengthEncoded("_os").LengthEncoded(Environment.OSVersion.Platform.ToString())
        .Payload;
}
