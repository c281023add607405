namespace BulkLoad.Core.Protocol;

/// <summary>Takes the rows of a text result set as they arrive (MySQL protocol, "Text Resultset").</summary>
internal interface IRowSink
{
    /// <summary>Takes the next column's description.</summary>
    /// <param name="definition">the packet; not the sink's</param>
    void AddColumn(ReadOnlySpan<byte> definition);

    /// <summary>Takes the next row.</summary>
    /// <param name="payload">the packet; not the sink's</param>
    /// <param name="columns">how many values it has</param>
    void AddRow(ReadOnlySpan<byte> payload, int columns);
}
