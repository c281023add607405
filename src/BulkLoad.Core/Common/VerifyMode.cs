namespace BulkLoad.Core.Common;

/// <summary>How the rows that a job has inserted are looked at again in the table, before they are committed.</summary>
public enum VerifyMode
{
    /// <summary>Not at all: the server's counts and warnings decide.</summary>
    None,

    /// <summary>Each key has its row.</summary>
    Count,

    /// <summary>Each key has its row, and that holds the record's values.</summary>
    Checksum,
}
