namespace BulkLoad.Core.Common;

/// <summary>Identifiers (MySQL manual, "Schema Object Names").</summary>
internal static class SqlName
{
    /// <summary>The name in backticks, with backticks doubled.</summary>
    /// <exception cref="RequestException">an empty name, or one with a NUL, which no identifier may have</exception>
    public static string Quote(string name)
    {
        if (name.Length == 0 || name.Contains('\0'))
        {
            throw new RequestException(name.Length == 0 ? "a name is empty" : "a name has a NUL character, which MySQL does not allow");
        }

        return $"`{name.Replace("`", "``", StringComparison.Ordinal)}`";
    }

    public static string Quote(string database, string table) => $"{Quote(database)}.{Quote(table)}";

    /// <summary>Names in backticks with commas between.</summary>
    public static string List(IEnumerable<string> names) => string.Join(',', names.Select(Quote));
}
