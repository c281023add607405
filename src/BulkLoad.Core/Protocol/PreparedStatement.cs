namespace BulkLoad.Core.Protocol;

/// <summary>A statement prepared on one session.</summary>
/// <param name="Id">the server's number for it</param>
/// <param name="ParameterCount">number of placeholders, at most 65,535</param>
internal sealed record PreparedStatement(uint Id, int ParameterCount)
{
    private ReadOnlyMemory<byte> _types;

    /// <summary>Whether the server already knows these parameters' types, so that they need not be sent again.</summary>
    internal bool KnowsTypesOf(BinaryParameters parameters) =>
        _types.Equals(parameters.Types) || _types.Span.SequenceEqual(parameters.Types.Span);

    /// <summary>The server has taken an execution with these parameters' types.</summary>
    internal void LearnTypesOf(BinaryParameters parameters) => _types = parameters.Types;
}
