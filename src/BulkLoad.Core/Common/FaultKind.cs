using static BulkLoad.Core.Common.ServerError;

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

internal static class FaultKinds
{
    /// <summary><paramref name="text"/> is the server's message, for numbers that have several meanings.</summary>
    public static FaultKind Of(ServerError code, string text = "") => code switch
    {
        LockDeadlock or TableDefChanged or XaRbDeadlock or TooManyConcurrentTransactions or UserLockDeadlock
            or TransactionRollbackDuringCommit => FaultKind.TransactionLost,

        // A plugin for replication refused the COMMIT; one that is too large would be refused again.
        RunHookError when !text.Contains("size", StringComparison.OrdinalIgnoreCase) => FaultKind.TransactionLost,

        // The savepoints of a transaction go with it, and nobody else sets any.
        SpDoesNotExist when text.StartsWith("SAVEPOINT", StringComparison.Ordinal) => FaultKind.TransactionLost,
        LockWaitTimeout or LockNowait => FaultKind.StatementLost,
        ServerShutdown or (>= AbortingConnection and <= NetWriteInterrupted and not NetPacketTooLarge) or NewAbortingConnection
            or QueryInterrupted or ConnectionKilled or ClientInteractionTimeout => FaultKind.SessionLost,
        ConCountError or TooManyUserConnections or UserLimitReached => FaultKind.CannotConnect,
        DupKey or BadNull or DupEntry or TooBigRowSize or DupUnique or NoReferencedRow or RowIsReferenced or WarnDataOutOfRange
            or WarnDataTruncated or TruncatedWrongValue or InvalidCharacterString or NoDefaultForField or DivisionByZero
            or TruncatedWrongValueForField or IllegalValueForType or DataTooLong or WrongValueForType or CantCreateGeometryObject
            or RowIsReferenced2 or NoReferencedRow2 or WrongValue or NoPartitionForGivenValue or ForeignDuplicateKey or DupEntryWithKeyName
            or SignalException or DataOutOfRange or RowDoesNotMatchGivenPartitionSet or ForeignDuplicateKeyWithChildInfo
            or ForeignDuplicateKeyWithoutChildInfo or FkDepthExceeded or GisInvalidData or InvalidJsonText or InvalidJsonTextInParam
            or JsonValueTooBig or JsonKeyTooBig or JsonDocumentTooDeep or LongitudeOutOfRange or LatitudeOutOfRange or WrongSridForColumn
            or CheckConstraintViolated or ImpossibleStringConversion or ConstraintFailed or ForeignKeyFailed => FaultKind.Data,
        NetPacketTooLarge => FaultKind.Packet,
        DbAccessDenied or AccessDenied or BadDb or BadField or Parse or TableAccessDenied or ColumnAccessDenied or NoSuchTable
            or NotAllowedCommand or OptionPreventsStatement or CantExecuteInReadOnlyTransaction or ReadOnlyMode or ClientLocalFilesDisabled
            or LoadInfileCapabilityDisabled => FaultKind.Configuration,
        _ => FaultKind.Other,
    };
}
