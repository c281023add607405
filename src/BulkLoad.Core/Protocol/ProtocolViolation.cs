namespace BulkLoad.Core.Protocol;

/// <summary>The peer sent what the protocol does not allow here.</summary>
internal static class ProtocolViolation
{
    /// <param name="what">what is wrong, as the end of a sentence</param>
    public static ServerException Of(string what) =>
        new(FaultKind.Protocol, $"the server broke the client/server protocol: {what}");
}
