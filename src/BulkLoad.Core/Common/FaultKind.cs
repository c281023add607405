namespace BulkLoad.Core.Common;

/// <summary>What a server's fault means for the chunk in flight.</summary>
public enum FaultKind
{
    /// <summary>Not classified: no retry.</summary>
    Other,

    /// <summary>The server undid the whole transaction: the chunk can be sent again.</summary>
    TransactionLost,

    /// <summary>The server undid the statement only: roll back, then the chunk can be sent again.</summary>
    StatementLost,

    /// <summary>The session is gone; whether its last commit took effect is not known.</summary>
    SessionLost,

    /// <summary>The server takes no session at present.</summary>
    CannotConnect,

    /// <summary>A record that the server cannot take as it is.</summary>
    Data,

    /// <summary>A packet was larger than the server allows.</summary>
    Packet,

    /// <summary>Rights, names, settings: the same statement would fail again.</summary>
    Configuration,

    /// <summary>The peer broke the client/server protocol: the session is closed.</summary>
    Protocol,
}

/// <summary>The fault kind of a server's error number (MySQL and MariaDB error references).</summary>
internal static class FaultKinds
{
    /// <param name="code">the error's number</param>
    /// <param name="text">the server's words, where a number has several meanings</param>
    public static FaultKind Of(int code, string text = "") => code switch
    {
        1213 or 1412 or 1614 or 1637 or 3058 or 3101 => FaultKind.TransactionLost,

        // A plugin for replication refused the COMMIT; one that is too large would be refused again.
        3100 when !text.Contains("size", StringComparison.OrdinalIgnoreCase) => FaultKind.TransactionLost,

        // The savepoints of a transaction go with it, and nobody else sets any.
        1305 when text.StartsWith("SAVEPOINT", StringComparison.Ordinal) => FaultKind.TransactionLost,
        1205 or 3572 => FaultKind.StatementLost,
        1053 or (>= 1152 and <= 1161 and not 1153) or 1184 or 1317 or 1927 or 4031 => FaultKind.SessionLost,
        1040 or 1203 or 1226 => FaultKind.CannotConnect,
        1022 or 1048 or 1062 or 1118 or 1169 or 1216 or 1217 or 1264 or 1265 or 1292 or 1300 or 1364 or 1365 or 1366 or 1367 or 1406
            or 1411 or 1416 or 1451 or 1452 or 1525 or 1526 or 1557 or 1586 or 1644 or 1690 or 1748 or 1761 or 1762
            or 3008 or 3037 or 3140 or 3141 or 3150 or 3151 or 3157 or 3616 or 3617 or 3643 or 3819 or 3988 or 4025 or 6575 => FaultKind.Data,
        1153 => FaultKind.Packet,
        1044 or 1045 or 1049 or 1054 or 1064 or 1142 or 1143 or 1146 or 1148 or 1290 or 1792 or 1836
            or 3948 or 4166 => FaultKind.Configuration,
        _ => FaultKind.Other,
    };
}
