using System.Buffers.Binary;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Tests.Protocol;

/// <summary>What a server can say, as payloads (MySQL "Client/Server Protocol").</summary>
internal static class ServerPayloads
{
    public const Capabilities MySqlCapabilities = Capabilities.Mysql | MariaDbCapabilities;

    public const Capabilities MariaDbCapabilities = Capabilities.LongFlag | Capabilities.ConnectWithDatabase
        | Capabilities.LocalFiles | Capabilities.Protocol41 | Capabilities.Transactions | Capabilities.SecureConnection
        | Capabilities.MultiResults | Capabilities.PluginAuthentication | Capabilities.ConnectAttributes
        | Capabilities.PluginAuthenticationLengthEncoded | Capabilities.DeprecateEof | (Capabilities)(1 << 16);

    /// <summary>1, 2, ... 20.</summary>
    public static byte[] Challenge { get; } = [.. Enumerable.Range(1, 20).Select(i => (byte)i)];

    public static byte[] Greeting(
        string version = "9.7.4",
        Capabilities capabilities = MySqlCapabilities,
        string plugin = "caching_sha2_password",
        uint extended = 0)
    {
        var flags = (uint)capabilities;
        return
        [
            10, .. Terminated(version), .. UInt32(42),
            .. Challenge[..8], 0, (byte)flags, (byte)(flags >> 8), 45, 2, 0, (byte)(flags >> 16), (byte)(flags >> 24), 21,
            .. new byte[6], .. UInt32(extended), .. Challenge[8..], 0, .. Terminated(plugin),
        ];
    }

    public static byte[] Ok(
        ulong affected = 0, ulong lastId = 0, ushort status = 2, ushort warnings = 0, string info = "", byte header = 0) =>
        [
            header, .. LengthEncoded(affected), .. LengthEncoded(lastId), .. UInt16(status), .. UInt16(warnings),
            .. info.Length == 0 ? [] : Text(info),
        ];

    /// <summary>The end of rows where EOF packets are deprecated.</summary>
    public static byte[] OkAtEnd(ushort status = 2) => Ok(status: status, header: 0xfe);

    public static byte[] Eof(ushort status = 2) => [0xfe, 0, 0, .. UInt16(status)];

    public static byte[] Error(int code, string text, string? sqlState = "HY000") =>
        [0xff, .. UInt16((ushort)code), .. Encoding.UTF8.GetBytes((sqlState is null ? "" : "#" + sqlState) + text)];

    public static byte[] Switch(string plugin, byte[]? challenge = null) =>
        [0xfe, .. Terminated(plugin), .. challenge ?? Challenge, 0];

    public static byte[] More(params byte[] data) => [1, .. data];

    public static byte[] LocalRequest(string name) => [0xfb, .. Encoding.UTF8.GetBytes(name)];

    public static byte[] ColumnCount(ulong count) => LengthEncoded(count);

    public static byte[] Column(string name) =>
        [.. Text("def"), .. Text("db"), .. Text("t"), .. Text("t"), .. Text(name), .. Text(name), 12, 45, 0, .. UInt32(80), 253, 0,
            0, 0, 0, 0];

    public static byte[] Row(params string?[] values) =>
        [.. values.SelectMany(value => value is null ? [0xfb] : Text(value))];

    public static byte[] Prepared(uint id, ushort columns, ushort parameters) =>
        [0, .. UInt32(id), .. UInt16(columns), .. UInt16(parameters), 0, .. UInt16(0)];

    public static byte[] LengthEncoded(ulong value)
    {
        if (value < 251)
        {
            return [(byte)value];
        }

        var bytes = new byte[9];
        bytes[0] = 0xfe;
        BinaryPrimitives.WriteUInt64LittleEndian(bytes.AsSpan(1), value);
        return value <= ushort.MaxValue ? [0xfc, .. bytes[1..3]] : value <= 0xffffff ? [0xfd, .. bytes[1..4]] : bytes;
    }

    public static byte[] Text(string text)
    {
        var bytes = Encoding.UTF8.GetBytes(text);
        return [.. LengthEncoded((ulong)bytes.Length), .. bytes];
    }

    private static byte[] Terminated(string text) => [.. Encoding.UTF8.GetBytes(text), 0];

    private static byte[] UInt16(ushort value) => [(byte)value, (byte)(value >> 8)];

    private static byte[] UInt32(uint value) => [.. UInt16((ushort)value), .. UInt16((ushort)(value >> 16))];
}
