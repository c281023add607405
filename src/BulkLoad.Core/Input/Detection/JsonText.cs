using System.Text.Json;

namespace BulkLoad.Core.Input.Detection;

/// <summary>JSON in a file that is named like another format.</summary>
/// <param name="IsLines">whether the first line is a whole object</param>
/// <param name="Error">the error message that the object contains; null: none</param>
internal sealed record JsonText(bool IsLines, string? Error)
{
    private static readonly string[] ErrorKeys = ["error", "errors", "message", "error_description", "detail", "title", "msg", "reason"];

    /// <summary>Null: no object of JSON, nor a list of them.</summary>
    public static JsonText? Find(ReadOnlySpan<byte> text)
    {
        var json = new Utf8JsonReader(text, isFinalBlock: false, new JsonReaderState(new JsonReaderOptions { AllowMultipleValues = true }));
        try
        {
            if (!json.Read() || json.TokenType is not (JsonTokenType.StartObject or JsonTokenType.StartArray))
            {
                return null;
            }

            var isObject = json.TokenType == JsonTokenType.StartObject;
            if (!json.Read() || json.TokenType != (isObject ? JsonTokenType.PropertyName : JsonTokenType.StartObject))
            {
                return null;
            }

            if (!isObject)
            {
                return new JsonText(IsLines: false, null);
            }

            var error = ReadError(ref json);
            var end = (int)json.BytesConsumed;
            var isFirst = json.TokenType == JsonTokenType.EndObject && json.CurrentDepth == 0;
            var isOne = isFirst && text[end..].IndexOfAnyExcept(" \t\r\n"u8) < 0;
            return new JsonText(isFirst && !text[..end].Contains((byte)'\n'), isOne ? error : null);
        }
        catch (Exception fault) when (fault is JsonException or InvalidOperationException)
        {
            return null;
        }
    }

    /// <summary>Reads to the end of the outermost object.</summary>
    private static string? ReadError(ref Utf8JsonReader json)
    {
        string? error = null;
        var hasMore = true;
        while (hasMore && json.TokenType == JsonTokenType.PropertyName)
        {
            var isError = ErrorKeys.Contains(json.GetString()!, StringComparer.OrdinalIgnoreCase);
            hasMore = json.Read();
            if (hasMore && isError && json.TokenType == JsonTokenType.String)
            {
                error ??= json.GetString();
            }

            hasMore = hasMore && json.TrySkip() && json.Read();
        }

        return error;
    }
}
