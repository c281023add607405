namespace BulkLoad.Core.Input.Formats;

/// <summary>The line <c>sep=;</c> that gives Excel the delimiter. It is a preamble without being dirt.</summary>
internal static class SeparatorLine
{
    /// <summary>The ASCII character behind <c>sep=</c>, if that is the first line.</summary>
    public static char? Find(ReadOnlySpan<byte> bytes)
    {
        var end = bytes.IndexOfAny((byte)'\r', (byte)'\n');
        var line = end < 0 ? bytes : bytes[..end];
        line = line is [(byte)'"', .. var quoted, (byte)'"'] ? quoted : line;
        return line is [
            (byte)'s' or (byte)'S', (byte)'e' or (byte)'E', (byte)'p' or (byte)'P', (byte)'=', < 0x80 and not (byte)'"' and var only]
            ? (char)only
            : null;
    }
}
