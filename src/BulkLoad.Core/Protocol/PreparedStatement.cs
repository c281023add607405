namespace BulkLoad.Core.Protocol;

/// <summary>A statement prepared on one session.</summary>
/// <param name="Id">the server's number for it</param>
/// <param name="ParameterCount">number of placeholders, at most 65,535</param>
internal sealed record PreparedStatement(uint Id, int ParameterCount)
{
    /// <summary>Whether the server already knows the parameter types, so that they need not be sent again.</summary>
    internal bool TypesAreKnown { get; set; }
}
