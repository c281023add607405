namespace BulkLoad;

/// <summary>What an unquoted empty field means.</summary>
public enum EmptyMeaning
{
    /// <summary>NULL where the column can be NULL; else the empty string in a character column, and a reject elsewhere.</summary>
    Auto,

    /// <summary>NULL, whatever the column.</summary>
    Null,

    /// <summary>The empty string, as a quoted empty field is.</summary>
    EmptyText,

    /// <summary>The column's DEFAULT.</summary>
    Default,
}
