namespace BulkLoad.Core.Facts;

/// <summary>How INSERT statements do what <see cref="DuplicateMode"/> asks for.</summary>
internal enum DuplicateForm
{
    /// <summary>A duplicate is the server's error, or there can be none.</summary>
    Plain,

    /// <summary>ON DUPLICATE KEY UPDATE that sets a column to itself.</summary>
    KeepRow,

    /// <summary>ON DUPLICATE KEY UPDATE of the columns that the input has.</summary>
    SetColumns,

    /// <summary>ON DUPLICATE KEY UPDATE of every column, to its default where the input has none: in simple tables the same as REPLACE.</summary>
    SetRow,

    /// <summary>A duplicate fails its INSERT, is narrowed to, and passed over.</summary>
    SkipAlone,

    /// <summary>A duplicate fails its INSERT, is narrowed to, and sent again by REPLACE.</summary>
    ReplaceAlone,
}
