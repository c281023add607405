using System.Text.RegularExpressions;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Jobs;

namespace BulkLoad.Seeding;

/// <param name="Table">without its database</param>
/// <param name="Files">paths, in the order in which they are read</param>
internal sealed record SeedEntry(string Table, IReadOnlyList<string> Files)
{
    /// <summary>Null: the connection's.</summary>
    public string? Database { get; init; }

    /// <summary>Options of <c>bulkload import</c> without their dashes, with their values; null: an option without a value.</summary>
    public IReadOnlyList<KeyValuePair<string, string?>> Options { get; init; } = [];

    /// <summary>Tables that are filled before, though no foreign key says so.</summary>
    public IReadOnlyList<string> After { get; init; } = [];

    /// <summary>For people.</summary>
    public string Name => Files.Count == 1 ? Path.GetFileName(Files[0]) : $"{Path.GetFileName(Files[0])} and {Files.Count - 1} more";
}

/// <summary>A folder of files for tables: a file is named after its table, unless <c>seed.yaml</c> says otherwise.</summary>
/// <param name="Entries">one a table, in the order of the tables' names</param>
/// <param name="Unused">names of files whose extension is none of data</param>
/// <param name="Database">null: none is named</param>
internal sealed partial record SeedFolder(IReadOnlyList<SeedEntry> Entries, IReadOnlyList<string> Unused, string? Database)
{
    public const string MapFile = "seed.yaml";

    private static readonly string[] DataEndings = [".csv", ".tsv", ".jsonl", ".ndjson", ".txt", ".json"];

    /// <exception cref="RequestException">there is no such folder, or a name or <c>seed.yaml</c> cannot be understood</exception>
    public static SeedFolder Read(string folder)
    {
        if (!Directory.Exists(folder))
        {
            throw new RequestException($"{folder}: no such folder");
        }

        try
        {
            var map = Path.Combine(folder, MapFile);
            var names = Directory.EnumerateFiles(folder).Select(Path.GetFileName).OfType<string>().Order(NaturalOrder.Instance).ToList();
            return Create(folder, names, File.Exists(map) ? SeedMap.Parse(File.ReadAllText(map), map) : new SeedMap());
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new RequestException($"{folder} cannot be read: {FileFault.Describe(fault, folder)}");
        }
    }

    /// <summary>Joins the files' names and the map.</summary>
    /// <param name="folder">for the paths</param>
    /// <param name="names">of all its files, in their natural order</param>
    public static SeedFolder Create(string folder, IReadOnlyList<string> names, SeedMap map)
    {
        var data = names.Where(name => IsData(name) || (!name.StartsWith('.') && map.Tables.Any(table => table.Names(name)))).ToList();
        var tables = new SortedDictionary<(string? Database, string Table), List<(string File, SeedMapTable? Mapped)>>();
        foreach (var name in data)
        {
            var mapped = map.Tables.Where(table => table.Names(name)).ToList();
            if (mapped.Count > 1)
            {
                throw new RequestException($"{MapFile}: {name} belongs to two entries, {mapped[0].Key} and {mapped[1].Key}");
            }

            var target = mapped is [{ Table: { } table }] ? SplitTable(table) : TargetOf(name);
            if (!tables.TryGetValue(target, out var files))
            {
                tables.Add(target, files = []);
            }

            files.Add((name, mapped.SingleOrDefault()));
        }

        foreach (var table in map.Tables)
        {
            var missing = table.Files.Where(file => !names.Contains(file)).ToList();
            if (missing.Count > 0)
            {
                throw new RequestException($"{MapFile}, line {table.Line}: there is no file {missing[0]} in {folder}");
            }
        }

        var entries = tables.Select(table => CreateEntry(folder, table.Key, table.Value, map)).ToList();
        if (entries.Count == 0)
        {
            throw new RequestException($"{folder} has no file for a table: name files after tables, such as people.csv, or say in "
                + $"{MapFile} which table a file is for");
        }

        var databases = entries.Select(entry => entry.Database).OfType<string>().Append(map.Database).OfType<string>()
            .Distinct(StringComparer.Ordinal).ToList();
        return databases.Count > 1
            ? throw new RequestException($"{folder} names two databases, {databases[0]} and {databases[1]}: make it a folder a database")
            : new SeedFolder(entries, [.. names.Where(name => !data.Contains(name) && !IsKnown(name))], databases.FirstOrDefault());
    }

    private static SeedEntry CreateEntry(
        string folder, (string? Database, string Table) target, List<(string File, SeedMapTable? Mapped)> files, SeedMap map)
    {
        var mapped = files.Select(file => file.Mapped).Distinct().ToList();
        if (mapped.Count > 1)
        {
            throw new RequestException($"{MapFile}: {files[0].File} and {files[^1].File} are both for table {target.Table} and have "
                + "different entries: give them one, with files: [..]");
        }

        var own = mapped[0];
        var options = own is null
            ? map.Options
            : [.. map.Options.Where(option => !own.Options.Any(other => other.Key == option.Key)), .. own.Options];
        var ordered = own is { Files.Count: > 1 } ? files.OrderBy(file => own.Files.ToList().IndexOf(file.File)) : files.AsEnumerable();
        return new SeedEntry(target.Table,
            [.. ordered.Select(
            file => Path.Combine(folder, file.File))])
        { Database = target.Database, Options = options, After = own?.After ?? [] };
    }

    /// <summary>Reads a file's name: <c>table.csv</c>, <c>table.part1.csv.gz</c>, <c>database.table.jsonl</c>.</summary>
    /// <exception cref="RequestException">the name has more parts</exception>
    public static (string? Database, string Table) TargetOf(string name)
    {
        var parts = CompressionFormat.Unpacked(name).Split('.')[..^1];
        parts = parts.Length > 1 && Part().IsMatch(parts[^1]) ? parts[..^1] : parts;
        return parts switch
        {
            [{ Length: > 0 } table] => (null, table),
            [{ Length: > 0 } database, { Length: > 0 } table] => (database, table),
            _ => throw new RequestException($"{name} names no table: call it table.csv, database.table.csv or table.part1.csv, or say in "
                + $"{MapFile} which table it is for"),
        };
    }

    private static (string? Database, string Table) SplitTable(string text) =>
        TableName.Parse(text) is var name ? (name.Database, name.Table) : default;

    public static bool IsData(string name) =>
        !name.StartsWith('.')
        && DataEndings.Any(ending => CompressionFormat.Unpacked(name).EndsWith(ending, StringComparison.OrdinalIgnoreCase));

    /// <summary>Files without data that a folder may have.</summary>
    private static bool IsKnown(string name) =>
        name.StartsWith('.') || name == MapFile || Path.GetExtension(name).ToLowerInvariant() is ".sql" or ".md";

    [GeneratedRegex(@"^(part)?[-_]?\d+$", RegexOptions.IgnoreCase | RegexOptions.CultureInvariant)]
    private static partial Regex Part();
}

/// <summary>Compares numbers in names by value: <c>part2</c> comes before <c>part10</c>.</summary>
internal sealed class NaturalOrder : IComparer<string>
{
    public static NaturalOrder Instance { get; } = new();

    public int Compare(string? x, string? y)
    {
        var (i, j) = (0, 0);
        while (i < x!.Length && j < y!.Length)
        {
            if (char.IsAsciiDigit(x[i]) && char.IsAsciiDigit(y[j]))
            {
                var (left, right) = (Digits(x, ref i), Digits(y, ref j));
                var compared = left.Length != right.Length ? left.Length.CompareTo(right.Length) : string.CompareOrdinal(left, right);
                if (compared != 0)
                {
                    return compared;
                }
            }
            else if (x[i] != y[j])
            {
                return x[i].CompareTo(y[j]);
            }
            else
            {
                (i, j) = (i + 1, j + 1);
            }
        }

        return (x.Length - i).CompareTo(y!.Length - j) is not 0 and var rest ? rest : string.CompareOrdinal(x, y);
    }

    private static string Digits(string text, ref int position)
    {
        var start = position;
        while (position < text.Length && char.IsAsciiDigit(text[position]))
        {
            position++;
        }

        return text[start..position].TrimStart('0');
    }
}
