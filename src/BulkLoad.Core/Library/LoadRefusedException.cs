namespace BulkLoad.Core.Library;

/// <summary>A job was refused before it began.</summary>
internal sealed class LoadRefusedException(BulkLoadException cause, string message) : BulkLoadException(message, cause.InnerException)
{
    public override BulkErrorCode ErrorCode { get; } = cause.ErrorCode;

    public override int ServerErrorNumber { get; } = cause.ServerErrorNumber;
}
