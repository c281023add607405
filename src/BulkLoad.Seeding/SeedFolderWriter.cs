using System.Text.RegularExpressions;

namespace BulkLoad.Seeding;

/// <summary>Writes files of a folder, which get their names when all of them are written.</summary>
internal sealed class SeedFolderWriter : IDisposable
{
    private readonly string _folder;
    private readonly bool _isNew;
    private readonly Dictionary<string, string> _parts = [];

    private SeedFolderWriter(string folder, bool isNew) => (_folder, _isNew) = (folder, isNew);

    /// <summary>Makes the folder where there is none.</summary>
    /// <exception cref="RequestException">it cannot be made, or has files</exception>
    public static SeedFolderWriter Open(string folder, bool force)
    {
        try
        {
            if (!force && Directory.Exists(folder) && Directory.EnumerateFileSystemEntries(folder).Any())
            {
                throw new RequestException(
                    $"folder '{folder}' is not empty: name a new one, or replace the files that are written by --force");
            }

            var isNew = !Directory.Exists(folder);
            Directory.CreateDirectory(folder);
            return new SeedFolderWriter(folder, isNew);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new RequestException($"folder '{folder}' cannot be made: {FileFault.Describe(fault, folder)}");
        }
    }

    public static TempFileException Unwritable(string name, Exception fault) =>
        new($"{name} cannot be written: {FileFault.Describe(fault, name)}; no file was changed", fault);

    public FileStream Create(string name)
    {
        var part = Path.Combine(_folder, $".{name}.part");
        try
        {
            _parts[name] = part;
            return new FileStream(part, FileMode.Create, FileAccess.Write, FileShare.Read, bufferSize: 0);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw Unwritable(name, fault);
        }
    }

    public void Drop(string name)
    {
        if (_parts.Remove(name, out var part))
        {
            File.Delete(part);
        }
    }

    public void Keep()
    {
        foreach (var (name, part) in _parts)
        {
            try
            {
                File.Move(part, Path.Combine(_folder, name), overwrite: true);
            }
            catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
            {
                throw new TempFileException($"{name} cannot be written: {FileFault.Describe(fault, name)}", fault);
            }
        }

        _parts.Clear();
    }

    public void Dispose()
    {
        try
        {
            foreach (var part in _parts.Values)
            {
                File.Delete(part);
            }

            if (_isNew && !Directory.EnumerateFileSystemEntries(_folder).Any())
            {
                Directory.Delete(_folder);
            }
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            // An earlier fault says more.
        }
    }
}

internal sealed class SeedFileNames
{
    private readonly HashSet<string> _taken = new(StringComparer.OrdinalIgnoreCase) { "seed", "schema", "triggers" };

    /// <summary>A name that no file has yet, also on a disk that ignores case.</summary>
    /// <returns>without an extension; whether it is the table's name</returns>
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

/// <summary>The text of SHOW CREATE without what belongs to one server or one moment.</summary>
internal static partial class CreateText
{
    /// <summary>Without AUTO_INCREMENT: the loaded rows decide the next id.</summary>
    public static string WithoutCounter(string create) => Counter().Replace(create, "$1", 1);

    /// <summary>Without DEFINER: the view or trigger becomes that of the account that makes it.</summary>
    public static string WithoutDefiner(string create) => Definer().Replace(create, "$1", 1);

    /// <summary>A delimiter that the text does not contain.</summary>
    public static string DelimiterFor(string text)
    {
        var word = "//";
        for (var i = 1; text.Contains(word, StringComparison.Ordinal); i++)
        {
            word = $"$end{i}$";
        }

        return word;
    }

    /// <summary>AUTO_INCREMENT is on the line after the last column. No other text of the statement has a line end, but for MySQL's
    /// comments and defaults, which end with a quote.</summary>
    [GeneratedRegex(@"(\n\) (?:ENGINE=\w+ )?)AUTO_INCREMENT=\d+ ?", RegexOptions.CultureInvariant | RegexOptions.RightToLeft)]
    private static partial Regex Counter();

    [GeneratedRegex(
        "^(CREATE (?:OR REPLACE )?(?:ALGORITHM=\\w+ )?)DEFINER=`(?:[^`]|``)*`(?:@`(?:[^`]|``)*`)? ", RegexOptions.CultureInvariant)]
    private static partial Regex Definer();
}
