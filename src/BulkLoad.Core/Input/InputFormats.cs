namespace BulkLoad.Core.Input;

internal static class InputFormats
{
    /// <summary>Records are objects that name their fields, in any order.</summary>
    public static bool IsJson(this InputFormat format) => format is InputFormat.Jsonl or InputFormat.Json;

    /// <summary>Backslashes escape, only <c>\N</c> is NULL, and there is no header by default.</summary>
    public static bool IsEscaped(this InputFormat format) => format is InputFormat.Mysql or InputFormat.Postgres;

    /// <summary>All records have the same number of fields, in the same order.</summary>
    public static bool HasPlaces(this InputFormat format) => !format.IsJson() && format != InputFormat.Keys;

    /// <summary>As in <c>--format</c>.</summary>
    public static string Word(this InputFormat format) => format.ToString().ToLowerInvariant();
}
