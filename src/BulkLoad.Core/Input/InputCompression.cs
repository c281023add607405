namespace BulkLoad;

/// <summary>How an input is compressed.</summary>
public enum InputCompression
{
    /// <summary>By extension or first bytes.</summary>
    Auto,

    /// <summary>Not compressed.</summary>
    None,

    /// <summary>gzip (RFC 1952), several members too.</summary>
    Gzip,

    /// <summary>Zstandard (RFC 8878), several frames too.</summary>
    Zstd,

    /// <summary>xz, several streams too.</summary>
    Xz,

    /// <summary>bzip2, several streams too.</summary>
    Bzip2,

    /// <summary>A zip archive of one file.</summary>
    Zip,
}
