namespace BulkLoad.Core.Seeding;

/// <summary>Names of files by those of tables.</summary>
internal sealed class SeedFileNames
{
    private readonly HashSet<string> _taken = new(StringComparer.OrdinalIgnoreCase) { "seed", "schema", "triggers" };

    /// <summary>A name that no file has yet, on a disk that knows no case either.</summary>
    /// <param name="table">any name</param>
    /// <returns>without an extension; whether it says the table's name</returns>
    public (string Name, bool IsNamed) Of(string table)
    {
        var isSafe = table.Length <= 100 && table.All(sign => char.IsLetterOrDigit(sign) || sign is '_' or '-') && table[0] != '-';
        if (isSafe && _taken.Add(table))
        {
            return (table, true);
        }

        var stem = string.Concat(table.Take(100).Select(sign => char.IsAsciiLetterOrDigit(sign) ? sign : '_'));
        var name = stem;
        for (var i = 2; !_taken.Add(name); i++)
        {
            name = $"{stem}_{i}";
        }

        return (name, false);
    }
}
