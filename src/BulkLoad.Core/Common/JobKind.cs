namespace BulkLoad.Core.Common;

/// <summary>What a job does with the records of its inputs.</summary>
public enum JobKind
{
    /// <summary>Each becomes a row.</summary>
    Import,

    /// <summary>The row that has its key gets its values.</summary>
    Update,

    /// <summary>The row that has its key goes.</summary>
    Delete,
}
