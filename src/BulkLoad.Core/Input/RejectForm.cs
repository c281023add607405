namespace BulkLoad.Core.Input;

/// <summary>How a file of refused records is written, so that it can be read as the input was.</summary>
/// <param name="Head">the input's bytes before its first record: byte order mark, lines that are skipped, header</param>
/// <param name="Newline">ends a record, in the input's encoding</param>
/// <param name="Encoding">the input's, throwing where a character is not in it; null for UTF-8</param>
internal sealed record RejectForm(byte[] Head, byte[] Newline, Encoding? Encoding)
{
    /// <summary>UTF-8 without a header.</summary>
    public static RejectForm Plain { get; } = new([], [(byte)'\n'], null);
}
