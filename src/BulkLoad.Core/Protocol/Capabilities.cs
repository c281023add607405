namespace BulkLoad.Core.Protocol;

/// <summary>What both sides can do (MySQL client/server protocol, "Capabilities Flags"), as far as this client reads or sets it.</summary>
[Flags]
internal enum Capabilities : uint
{
    None = 0,

    /// <summary>MySQL: long passwords. MariaDB: unset by a side that has MariaDB's extended capabilities.</summary>
    Mysql = 1 << 0,

    /// <summary>An UPDATE counts the rows found, changed or not.</summary>
    FoundRows = 1 << 1,

    LongFlag = 1 << 2,
    ConnectWithDatabase = 1 << 3,
    LocalFiles = 1 << 7,
    Protocol41 = 1 << 9,
    Tls = 1 << 11,
    Transactions = 1 << 13,
    SecureConnection = 1 << 15,
    MultiStatements = 1 << 16,
    MultiResults = 1 << 17,
    PluginAuthentication = 1 << 19,
    ConnectAttributes = 1 << 20,
    PluginAuthenticationLengthEncoded = 1 << 21,
    DeprecateEof = 1 << 24,
}

/// <summary>What only MariaDB can do (MariaDB protocol, "Connecting": the upper half of its 64 capability bits). Both sides send it only
/// without <see cref="Capabilities.Mysql"/>.</summary>
[Flags]
internal enum ExtendedCapabilities : uint
{
    None = 0,

    /// <summary>COM_STMT_BULK_EXECUTE.</summary>
    BulkExecute = 1 << 2,
}
