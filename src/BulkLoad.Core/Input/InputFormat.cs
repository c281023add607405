namespace BulkLoad;

/// <summary>The format of an input's records.</summary>
public enum InputFormat
{
    /// <summary>By extension, else by the first bytes; the report names what was taken.</summary>
    Auto,

    /// <summary>RFC 4180, comma unless a delimiter is given.</summary>
    Csv,

    /// <summary>As CSV, with tabs.</summary>
    Tsv,

    /// <summary>Backslash-escaped with tabs, as <c>mysql -B</c> and <c>SELECT ... INTO OUTFILE</c> write it.</summary>
    Mysql,

    /// <summary>Backslash-escaped with tabs, as PostgreSQL's <c>COPY</c> writes its text form.</summary>
    Postgres,

    /// <summary>One JSON object a line.</summary>
    Jsonl,

    /// <summary>One JSON array of objects, or objects one after the other; an object may have several lines.</summary>
    Json,

    /// <summary>One key a line, without quotes.</summary>
    Keys,

    /// <summary>What <see cref="BulkLoader"/> makes of objects; no file has it.</summary>
    Objects,
}
