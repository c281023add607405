namespace BulkLoad.Core.Protocol.Authentication;

/// <summary>
/// The client's side of one conversation with one authentication plugin (MySQL client/server protocol, "Authentication
/// Phase"). It makes payloads and does no input or output.
/// </summary>
internal interface IAuthentication
{
    /// <summary>The answer to the server's challenge.</summary>
    byte[] Begin();

    /// <summary>The answer to what the plugin asks next (Protocol::AuthMoreData), if it asks at all; null where none is due.</summary>
    /// <exception cref="ServerException">it asks for something unknown, or for a secret that must not travel here</exception>
    byte[]? Continue(ReadOnlySpan<byte> question) =>
        throw ProtocolViolation.Of("an authentication plugin asks a question that it does not have");
}
