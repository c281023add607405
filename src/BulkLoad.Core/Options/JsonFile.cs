using System.Text.Json;

namespace BulkLoad.Core.Options;

/// <summary>Why a file that the program has written itself cannot be read any more.</summary>
internal static class JsonFile
{
    /// <summary>The end of a sentence.</summary>
    public static string WhyNot(Exception wrong) => wrong switch
    {
        JsonException { LineNumber: { } line } => $"no valid JSON in line {line + 1}",
        JsonException => "no valid JSON",
        KeyNotFoundException => "a key is missing",
        FormatException own => own.Message.ReplaceLineEndings(" "),
        _ => "a value is of another type than it should be",
    };
}
