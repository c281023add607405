using static BulkLoad.Core.Common.ServerError;

namespace BulkLoad.Core.Common;

/// <summary>The server answered with an error, or its session broke. <see cref="Code"/> is 0 where the fault has no number of the server's
/// (a broken packet, a closed connection).</summary>
internal sealed class ServerException : BulkLoadException
{
    internal const string FullText = "the server's disk or the table's space is full";

    /// <param name="code">the server's error number, as in the MySQL Error Reference</param>
    /// <param name="sqlState">five characters; <c>HY000</c> where the server sent none</param>
    public ServerException(int code, string sqlState, string message) : base($"{message} (error {code}, SQLSTATE {sqlState})")
    {
        Code = code;
        SqlState = sqlState;
        ServerText = message;
        Kind = FaultKinds.Of((ServerError)code, message);
    }

    /// <summary>A session that cannot be used any more, or a peer that broke the protocol.</summary>
    public ServerException(FaultKind kind, string message, Exception? cause = null) : base(message, cause)
    {
        Kind = kind;
        SqlState = "08S01";
        ServerText = message;
    }

    /// <summary>A fault with a longer message for the user.</summary>
    /// <param name="kind">null: that of the fault</param>
    public ServerException(string message, ServerException fault, FaultKind? kind = null) : base(message, fault)
    {
        Code = fault.Code;
        SqlState = fault.SqlState;
        ServerText = fault.ServerText;
        Kind = kind ?? fault.Kind;
    }

    public override BulkErrorCode ErrorCode => BulkErrorCode.Failed;

    public override int ServerErrorNumber => Code;

    public int Code { get; }

    internal ServerError Error => (ServerError)Code;

    public string SqlState { get; }

    /// <summary>Without the number.</summary>
    public string ServerText { get; }

    public FaultKind Kind { get; }

    internal bool IsAccessDenied => Error is ServerError.DbAccessDenied or ServerError.TableAccessDenied or ServerError.ColumnAccessDenied;

    internal bool IsOfFullTable => Error == ServerError.RecordFileFull;

    /// <summary>Whether the server takes no changes at present, because it is no longer the primary. Another session may reach the new
    /// one.</summary>
    internal bool IsReadOnly => Error is ServerError.ReadOnlyMode || (Error == ServerError.OptionPreventsStatement
        && ServerText.Contains("read", StringComparison.Ordinal) && ServerText.Contains("only", StringComparison.Ordinal));

    /// <summary>Whether the server serves nobody at present, such as a node that has lost its cluster. Another session may reach another
    /// node.</summary>
    internal bool IsNotReady => IsReadOnly
        || (Error == ServerError.UnknownCommand && ServerText.Contains("WSREP", StringComparison.Ordinal))
        || (Error == ServerError.ErrorDuringCommit && ServerText.Contains("Primary Component", StringComparison.Ordinal));

    /// <summary>Whether the transaction is gone or cannot continue. No error that answers a probe does this.</summary>
    internal bool EndsTransaction => Passes || Kind == FaultKind.TransactionTooLarge;

    /// <summary>Whether the same chunk may be taken another time.</summary>
    internal bool Passes =>
        Kind is FaultKind.TransactionLost or FaultKind.StatementLost or FaultKind.SessionLost or FaultKind.CannotConnect || IsNotReady;
}

/// <summary>The names are close to those of the MySQL Error Reference and MariaDB's "MariaDB Error Codes", without ER_ and mostly without
/// _ERROR.</summary>
internal enum ServerError
{
    CheckRead = 1020,
    DupKey = 1022,
    ConCountError = 1040,
    DbAccessDenied = 1044,
    AccessDenied = 1045,
    UnknownCommand = 1047,
    BadNull = 1048,
    BadDb = 1049,
    TableExists = 1050,
    BadTable = 1051,
    ServerShutdown = 1053,
    BadField = 1054,
    DupFieldName = 1060,
    DupKeyName = 1061,
    DupEntry = 1062,
    Parse = 1064,
    CantDropFieldOrKey = 1091,
    UpdateTableUsed = 1093,
    UnknownError = 1105,
    RecordFileFull = 1114,
    TooBigRowSize = 1118,
    HostIsBlocked = 1129,
    HostNotPrivileged = 1130,
    WrongValueCountOnRow = 1136,
    TableAccessDenied = 1142,
    ColumnAccessDenied = 1143,
    NoSuchTable = 1146,
    NotAllowedCommand = 1148,
    AbortingConnection = 1152,
    NetPacketTooLarge = 1153,
    NetWriteInterrupted = 1161,
    DupUnique = 1169,
    RequiresPrimaryKey = 1173,
    UpdateWithoutKeyInSafeMode = 1175,
    ErrorDuringCommit = 1180,
    NewAbortingConnection = 1184,
    TransactionCacheFull = 1197,
    TooManyUserConnections = 1203,
    LockWaitTimeout = 1205,
    LockDeadlock = 1213,
    NoReferencedRow = 1216,
    RowIsReferenced = 1217,
    UserLimitReached = 1226,
    SpecificAccessDenied = 1227,
    WarnDataOutOfRange = 1264,
    WarnDataTruncated = 1265,
    OptionPreventsStatement = 1290,
    TruncatedWrongValue = 1292,
    InvalidCharacterString = 1300,
    SpDoesNotExist = 1305,
    QueryInterrupted = 1317,
    NoDefaultForField = 1364,
    DivisionByZero = 1365,
    TruncatedWrongValueForField = 1366,
    IllegalValueForType = 1367,
    DataTooLong = 1406,
    WrongValueForType = 1411,
    TableDefChanged = 1412,
    CantCreateGeometryObject = 1416,
    RowIsReferenced2 = 1451,
    NoReferencedRow2 = 1452,
    MaxPreparedStmtCountReached = 1461,
    WrongValue = 1525,
    NoPartitionForGivenValue = 1526,
    ForeignDuplicateKey = 1557,
    DupEntryWithKeyName = 1586,
    XaRbDeadlock = 1614,
    TooManyConcurrentTransactions = 1637,
    SignalException = 1644,
    DataOutOfRange = 1690,
    AccessDeniedNoPassword = 1698,
    PartitionExchangeDifferentOption = 1731,
    TablesDifferentMetadata = 1736,
    RowDoesNotMatchPartition = 1737,
    RowDoesNotMatchGivenPartitionSet = 1748,
    ForeignDuplicateKeyWithChildInfo = 1761,
    ForeignDuplicateKeyWithoutChildInfo = 1762,
    CantExecuteInReadOnlyTransaction = 1792,
    ReadOnlyMode = 1836,
    MustChangePasswordLogin = 1862,

    /// <summary>MariaDB.</summary>
    ConnectionKilled = 1927,
    FkDepthExceeded = 3008,
    GisInvalidData = 3037,
    UserLockDeadlock = 3058,
    RunHookError = 3100,
    TransactionRollbackDuringCommit = 3101,
    AccountHasBeenLocked = 3118,
    InvalidJsonText = 3140,
    InvalidJsonTextInParam = 3141,
    JsonValueTooBig = 3150,
    JsonKeyTooBig = 3151,
    JsonDocumentTooDeep = 3157,
    SecureTransportRequired = 3159,
    LockNowait = 3572,
    LongitudeOutOfRange = 3616,
    LatitudeOutOfRange = 3617,
    WrongSridForColumn = 3643,
    TableWithoutPrimaryKey = 3750,
    CheckConstraintViolated = 3819,
    ClientLocalFilesDisabled = 3948,
    ImpossibleStringConversion = 3988,

    /// <summary>MariaDB.</summary>
    ConstraintFailed = 4025,

    /// <summary>MySQL.</summary>
    ClientInteractionTimeout = 4031,

    /// <summary>The first of what MariaDB's JSON functions say.</summary>
    JsonNotJsonCharacter = 4036,

    /// <summary>The last of these.</summary>
    JsonPathNoWildcard = 4044,

    /// <summary>MariaDB.</summary>
    MariaDbAccountIsLocked = 4151,

    /// <summary>MariaDB.</summary>
    LoadInfileCapabilityDisabled = 4166,

    /// <summary>MySQL, where the SQL layer checks foreign keys.</summary>
    ForeignKeyFailed = 6575,

    // TiDB's, by its "Error Codes and Troubleshooting".
    TiDbRetry = 8002,
    TransactionTooLarge = 8004,
    TiDbWriteConflict = 8005,
    TiDbCommitFailed = 8022,
    TiDbSchemaChanged = 8028,
    TiDbResultUndetermined = 8501,
    TiDbPdTimeout = 9001,
    TiDbStoreTimeout = 9002,
    TiDbStoreBusy = 9003,
    TiDbLockConflict = 9004,
    TiDbRegionUnavailable = 9005,
    TiDbStoreWriteConflict = 9007,
}

/// <summary>What a server's fault means for the chunk in flight.</summary>
internal enum FaultKind
{
    /// <summary>Not classified: no retry.</summary>
    Other,

    /// <summary>The server undid the whole transaction: the chunk can be sent again.</summary>
    TransactionLost,

    /// <summary>The transaction has more than the server takes in one: a smaller chunk can be sent.</summary>
    TransactionTooLarge,

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
            or TransactionRollbackDuringCommit or TiDbRetry or TiDbWriteConflict or TiDbCommitFailed or TiDbSchemaChanged
            or TiDbLockConflict or TiDbStoreWriteConflict => FaultKind.TransactionLost,

        TransactionCacheFull or ServerError.TransactionTooLarge => FaultKind.TransactionTooLarge,
        UnknownError when Has(text, "writeset size") => FaultKind.TransactionTooLarge,
        ErrorDuringCommit when Has(text, "wsrep_max_ws") => FaultKind.TransactionTooLarge,

        // A plugin for replication refused the COMMIT; only the server's log says why.
        RunHookError => Has(text, "size") ? FaultKind.TransactionTooLarge : FaultKind.TransactionLost,

        // The savepoints of a transaction end with it, and nobody else sets any.
        SpDoesNotExist when text.StartsWith("SAVEPOINT", StringComparison.Ordinal) => FaultKind.TransactionLost,
        LockWaitTimeout or LockNowait => FaultKind.StatementLost,
        ServerShutdown or (>= AbortingConnection and <= NetWriteInterrupted and not NetPacketTooLarge) or NewAbortingConnection
            or QueryInterrupted or ConnectionKilled or ClientInteractionTimeout => FaultKind.SessionLost,

        // Whether a COMMIT that is answered so took effect is not known.
        TiDbResultUndetermined or (>= TiDbPdTimeout and <= TiDbRegionUnavailable) => FaultKind.SessionLost,
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

    private static bool Has(string text, string part) => text.Contains(part, StringComparison.OrdinalIgnoreCase);
}
