namespace BulkLoad.DataSet;

/// <summary>How the rows are written; the names are those of <c>--formats</c>.</summary>
public enum DataFormat
{
    /// <summary>RFC 4180 with a header, LF after each record.</summary>
    Csv,

    /// <summary>The same with tabs.</summary>
    Tsv,

    /// <summary>What LOAD DATA reads by default: tabs, backslash escapes, <c>\N</c>; no header.</summary>
    Mysql,

    /// <summary>One JSON object a line.</summary>
    Jsonl,

    /// <summary>CSV, compressed by gzip.</summary>
    Gz,
}
