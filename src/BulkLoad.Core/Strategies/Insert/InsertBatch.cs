namespace BulkLoad.Core.Strategies.Insert;

/// <summary>Rows of one INSERT.</summary>
internal abstract class InsertBatch : EncodedBatch
{
    /// <summary>Whether the server makes an id for each of the rows.</summary>
    public bool HasOwnIds { get; set; }
}
