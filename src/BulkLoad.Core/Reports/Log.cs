using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Reports;

internal static partial class Log
{
    [LoggerMessage(1, LogLevel.Debug, "{Source}: {Format}, {Fields} fields, {Bytes} bytes, about {Records} records")]
    public static partial void SourceSeen(this ILogger logger, string source, string format, int fields, long? bytes, long? records);

    [LoggerMessage(2, LogLevel.Debug, "Connected to {Kind} {Version} at {Endpoint} as {User} ({Security}), session {Session}")]
    public static partial void Connected(
        this ILogger logger, string kind, string version, string endpoint, string user, string security, uint session);

    [LoggerMessage(3, LogLevel.Information, "{Doing} {Table} by {Strategy}: {Reason}")]
    public static partial void Planned(this ILogger logger, string doing, string table, string strategy, string reason);

    [LoggerMessage(4, LogLevel.Debug, "{Strategy}: {Reason}")]
    public static partial void PassedOver(this ILogger logger, string strategy, string reason);

    [LoggerMessage(5, LogLevel.Debug, "Chunk {Chunk} committed: {Records} records in all")]
    public static partial void ChunkCommitted(this ILogger logger, long chunk, long records);

    [LoggerMessage(6, LogLevel.Information, "{Done}: records {Records}, chunks {Chunks}")]
    public static partial void JobComplete(this ILogger logger, string done, long records, long chunks);

    [LoggerMessage(7, LogLevel.Information, "{Failure}")]
    public static partial void JobFailed(this ILogger logger, string failure);

    [LoggerMessage(8, LogLevel.Information, "Interrupted")]
    public static partial void JobInterrupted(this ILogger logger);

    [LoggerMessage(9, LogLevel.Warning, "The server has not answered for {Seconds} s: killing the current statement")]
    public static partial void StatementKilled(this ILogger logger, double seconds);

    [LoggerMessage(10, LogLevel.Warning, "The current statement could not be killed: {Reason}")]
    public static partial void KillFailed(this ILogger logger, string reason);

    [LoggerMessage(11, LogLevel.Warning, "The server still does not answer: closing the connection, which rolls back what is open")]
    public static partial void SessionAborted(this ILogger logger);

    [LoggerMessage(12, LogLevel.Information,
        "{Source}:{First}-{Last}: the server did not take these lines as one batch, they are sent again in parts: {Reason}")]
    public static partial void BatchNarrowed(this ILogger logger, long first, long last, string source, string reason);

    [LoggerMessage(43, LogLevel.Warning,
        "The server takes no chunk of {Records} records as one transaction: they have {Most} at most from here on: {Fault}")]
    public static partial void ChunksHalved(this ILogger logger, long records, long most, string fault);

    [LoggerMessage(13, LogLevel.Information, "Rejected: {Reject} [{Reason}]")]
    public static partial void Rejected(this ILogger logger, string reject, string reason);

    [LoggerMessage(20, LogLevel.Information, "Created table {Table} from {Records} records")]
    public static partial void TableCreated(this ILogger logger, string table, long records);

    [LoggerMessage(40, LogLevel.Information, "Added columns to {Table}: {Columns}")]
    public static partial void ColumnsAdded(this ILogger logger, string table, string columns);

    [LoggerMessage(21, LogLevel.Debug, "{Column}: {Type}, {Reason}")]
    public static partial void ColumnInferred(this ILogger logger, string column, string type, string reason);

    [LoggerMessage(15, LogLevel.Information, "Checked: {Accepted} records accepted, {Undecided} undecided, {Rejected} rejected")]
    public static partial void CheckComplete(this ILogger logger, long accepted, long undecided, long rejected);

    [LoggerMessage(16, LogLevel.Information, "Checking the records against {Table}")]
    public static partial void CheckPlanned(this ILogger logger, string table);

    [LoggerMessage(33, LogLevel.Information,
        "Compared: {Equal} records are in the table, {Different} are missing or different, {Undecided} are undecided")]
    public static partial void VerificationComplete(this ILogger logger, long equal, long different, long undecided);

    [LoggerMessage(30, LogLevel.Warning, "Waiting: {Reason}")]
    public static partial void Waits(this ILogger logger, string reason);

    [LoggerMessage(31, LogLevel.Information, "Waiting again: {Reason}")]
    public static partial void WaitsAgain(this ILogger logger, string reason);

    [LoggerMessage(32, LogLevel.Information, "Resumed after {Seconds:0.0} s")]
    public static partial void WentOn(this ILogger logger, double seconds);

    [LoggerMessage(14, LogLevel.Warning, "Rejects of what was rolled back could not be removed from their file: {Reason}")]
    public static partial void RejectsStay(this ILogger logger, string reason);

    [LoggerMessage(22, LogLevel.Warning, "Retry {Retry} in {Seconds:0.0} s: {Fault}")]
    public static partial void ChunkRetried(this ILogger logger, int retry, double seconds, string fault);

    [LoggerMessage(38, LogLevel.Warning, "{Lost}; they are sent again")]
    public static partial void CommitsLost(this ILogger logger, string lost);

    [LoggerMessage(37, LogLevel.Warning, "Continuing with fewer sessions than planned: {Reason}")]
    public static partial void SessionRefused(this ILogger logger, string reason);

    [LoggerMessage(34, LogLevel.Information, "Dropped {Count} indexes of {Table}")]
    public static partial void IndexesDropped(this ILogger logger, int count, string table);

    [LoggerMessage(35, LogLevel.Information, "Added {Count} indexes to {Table}")]
    public static partial void IndexesAdded(this ILogger logger, int count, string table);

    [LoggerMessage(23, LogLevel.Information, "Job {Job} resumes after what it has committed: records {Records}, chunks {Chunks}")]
    public static partial void JobResumed(this ILogger logger, string job, long records, int chunks);

    [LoggerMessage(39, LogLevel.Information, "{Headline}")]
    public static partial void NothingToDo(this ILogger logger, string headline);

    [LoggerMessage(24, LogLevel.Information, "Job {Job} was complete, nothing was sent: records {Records}, chunks {Chunks}")]
    public static partial void JobWasComplete(this ILogger logger, string job, long records, long chunks);

    [LoggerMessage(41, LogLevel.Debug, "A hint was not found out")]
    public static partial void HintFailed(this ILogger logger, Exception fault);
}
