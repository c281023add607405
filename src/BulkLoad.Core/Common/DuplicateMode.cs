namespace BulkLoad;

/// <summary>What happens to a record where the table, or the input before it, has a row with the same primary or unique key.</summary>
public enum DuplicateMode
{
    /// <summary>It is a reject.</summary>
    Error,

    /// <summary>It is skipped: the first one wins.</summary>
    Ignore,

    /// <summary>It takes the place of every row that has one of its keys: the last one wins. What the input has no column for gets its
    /// default.</summary>
    Replace,

    /// <summary>The row gets its values: the last one wins. What the input has no column for stays.</summary>
    Update,
}
