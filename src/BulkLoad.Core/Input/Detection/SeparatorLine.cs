namespace BulkLoad.Core.Input.Detection;

/// <summary>The line <c>sep=;</c> with which Excel is told the delimiter: the first of the preamble, and the only one that is no dirt.</summary>
internal static class SeparatorLine
{
    /// <summary>The options with that line as preamble, and with its delimiter, unless the user named one.</summary>
    /// <param name="head">the input's beginning</param>
    /// <param name="options">what is known so far</param>
    /// <param name="detections">takes the delimiter</param>
    public static SourceOptions Apply(SourceHead head, SourceOptions options, List<DetectedSetting> detections)
    {
        if (!SourceDetection.MayLookForPreamble(options) || Find(head.Bytes) is not { } delimiter)
        {
            return options;
        }

        options = options with { PreambleLines = 1 };
        if (!SourceDetection.MayLookForDelimiter(head, options))
        {
            return options;
        }

        detections.Add(DetectedSetting.OfCharacter("delimiter", delimiter, 1, "by its line sep="));
        return options with { Delimiter = delimiter };
    }

    /// <summary>The ASCII character behind <c>sep=</c>; null where the first line is another.</summary>
    /// <param name="bytes">the content's beginning</param>
    public static char? Find(ReadOnlySpan<byte> bytes)
    {
        var end = bytes.IndexOfAny((byte)'\r', (byte)'\n');
        var line = end < 0 ? bytes : bytes[..end];
        line = line is [(byte)'"', .. var quoted, (byte)'"'] ? quoted : line;
        return line is [(byte)'s' or (byte)'S', (byte)'e' or (byte)'E', (byte)'p' or (byte)'P', (byte)'=', < 0x80 and not (byte)'"' and var only]
            ? (char)only
            : null;
    }
}
