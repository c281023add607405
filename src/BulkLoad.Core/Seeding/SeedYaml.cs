namespace BulkLoad.Core.Seeding;

/// <summary>What the names of the files do not say: how they are written, and which table each goes to.</summary>
internal sealed class SeedYaml
{
    private readonly SortedDictionary<string, string> _shared = new(StringComparer.Ordinal);
    private readonly List<(string File, string? Table, SortedDictionary<string, string> Options)> _files = [];

    /// <summary>An option of all files.</summary>
    public void Share(string option, string value) => _shared[option] = value;

    /// <summary>A file with options of its own, or a table that its name does not say.</summary>
    public void Add(string file, string? table, IEnumerable<(string Name, string Value)> options)
    {
        var own = new SortedDictionary<string, string>(
            options.ToDictionary(option => option.Name, option => option.Value), StringComparer.Ordinal);
        if (table is not null || own.Count > 0)
        {
            _files.Add((file, table, own));
        }
    }

    /// <summary>Null: there is nothing to say.</summary>
    public string? Write()
    {
        if (_shared.Count + _files.Count == 0)
        {
            return null;
        }

        var text = new StringBuilder();
        Options(_shared, "");
        text.Append(_files.Count > 0 ? "tables:\n" : "");
        foreach (var (file, table, options) in _files)
        {
            text.Append(CultureInfo.InvariantCulture, $"  {Quote(file)}:\n");
            text.Append(table is null ? "" : $"    table: {Quote(table)}\n");
            Options(options, "    ");
        }

        return text.ToString();

        void Options(SortedDictionary<string, string> options, string indent)
        {
            text.Append(options.Count > 0 ? $"{indent}options:\n" : "");
            foreach (var (name, value) in options)
            {
                text.Append(CultureInfo.InvariantCulture,
                    $"{indent}  {name}: {(value is "true" || value.All(char.IsAsciiDigit) && value.Length > 0 ? value : Quote(value))}\n");
            }
        }
    }

    /// <summary>Plain where it can only be read as a text; control characters need double quotes and escapes.</summary>
    private static string Quote(string text) =>
        text.Length > 0 && char.IsAsciiLetter(text[0]) && text.All(sign => char.IsAsciiLetterOrDigit(sign) || sign is '_' or '.' or '-')
            && text.ToUpperInvariant() is not ("TRUE" or "FALSE" or "YES" or "NO" or "ON" or "OFF" or "NULL" or "Y" or "N") ? text
        : text.Any(char.IsControl)
            ? $"\"{string.Concat(text.Select(Escaped))}\""
        : $"'{text.Replace("'", "''", StringComparison.Ordinal)}'";

    private static string Escaped(char sign) =>
        char.IsControl(sign) ? $"\\u{(int)sign:x4}" : sign is '"' or '\\' ? $"\\{sign}" : sign.ToString();
}
