using YamlDotNet.Core;
using YamlDotNet.Core.Events;

namespace BulkLoad.Seeding;

/// <summary>An entry of <c>seed.yaml</c> under <c>tables</c>.</summary>
/// <param name="Key">a file's name; where files are listed, the table's name</param>
/// <param name="Line">of the key, from 1</param>
internal sealed record SeedMapTable(string Key, long Line)
{
    /// <summary><c>table</c> or <c>database.table</c>; null: the file's name says it.</summary>
    public string? Table { get; init; }

    /// <summary>In the order in which they are read.</summary>
    public IReadOnlyList<string> Files { get; init; } = [];

    public IReadOnlyList<KeyValuePair<string, string?>> Options { get; init; } = [];

    public IReadOnlyList<string> After { get; init; } = [];

    public bool Names(string file) => Files.Contains(file);
}

/// <summary>The content of <c>seed.yaml</c>. Its form is in <c>docs/seed.schema.json</c>.</summary>
internal sealed record SeedMap
{
    /// <summary>Null: it names none.</summary>
    public string? Database { get; init; }

    public IReadOnlyList<KeyValuePair<string, string?>> Options { get; init; } = [];

    /// <summary>In the order of the file.</summary>
    public IReadOnlyList<SeedMapTable> Tables { get; init; } = [];

    /// <exception cref="RequestException">it is no YAML, or has an unknown key or a value of the wrong kind</exception>
    /// <param name="name">the file's, for messages</param>
    public static SeedMap Parse(string text, string name)
    {
        try
        {
            var reader = new Reader(new Parser(new StringReader(text)), name);
            return reader.Read();
        }
        catch (YamlException fault)
        {
            throw new RequestException($"{name}, line {fault.Start.Line}, column {fault.Start.Column}: is not YAML: "
                + $"{fault.InnerException?.Message ?? fault.Message}");
        }
    }

    /// <summary>Reads YAML events: no type is created because a text names it.</summary>
    private sealed class Reader(Parser parser, string name)
    {
        public SeedMap Read()
        {
            var map = new SeedMap();
            parser.Consume<StreamStart>();
            if (parser.TryConsume<StreamEnd>(out _))
            {
                return map;
            }

            parser.Consume<DocumentStart>();
            if (parser.TryConsume<Scalar>(out var empty) && empty is { Value: "" })
            {
                RequireEnd();
                return map;
            }

            ReadMap("the file", key => map = key.Value switch
            {
                "database" => map with { Database = ReadText(key) },
                "options" => map with { Options = ReadOptions(key) },
                "tables" => map with { Tables = ReadTables(key) },
                _ => throw Fault(key, $"'{key.Value}' is none of database, options and tables"),
            });
            RequireEnd();
            return map;
        }

        /// <summary>Refuses a second YAML document, which would not be read.</summary>
        private void RequireEnd()
        {
            parser.Consume<DocumentEnd>();
            if (parser.TryConsume<DocumentStart>(out var second))
            {
                throw Fault(second, "a second document begins here, and only one is read: put all into one map, without '---'");
            }
        }

        private List<SeedMapTable> ReadTables(Scalar key)
        {
            var tables = new List<SeedMapTable>();
            ReadMap(key.Value, file => tables.Add(ReadTable(file)));
            return tables;
        }

        private SeedMapTable ReadTable(Scalar file)
        {
            var table = new SeedMapTable(file.Value, file.Start.Line);
            ReadMap(file.Value, key => table = key.Value switch
            {
                "table" => table with { Table = ReadText(key) },
                "files" => table with { Files = ReadList(key) },
                "columns" => table with { Options = [.. table.Options, new("columns", string.Join(',', ReadList(key)))] },
                "options" => table with { Options = [.. table.Options, .. ReadOptions(key)] },
                "after" => table with { After = ReadList(key) },
                _ => throw Fault(key, $"'{key.Value}' is none of table, files, columns, options and after"),
            });
            return table.Files.Count > 0 ? table with { Table = table.Table ?? table.Key } : table with { Files = [table.Key] };
        }

        private List<KeyValuePair<string, string?>> ReadOptions(Scalar key)
        {
            var options = new List<KeyValuePair<string, string?>>();
            ReadMap(key.Value, option =>
            {
                if (parser.Accept<SequenceStart>(out _))
                {
                    options.AddRange(ReadList(option).Select(value => new KeyValuePair<string, string?>(option.Value, value)));
                    return;
                }

                if (!parser.TryConsume<Scalar>(out var scalar))
                {
                    throw Fault(option, $"option '{option.Value}' needs a value or a list of values");
                }

                // An option without a value is 'true'; 'false' leaves it out.
                if (scalar.Style != ScalarStyle.Plain || scalar.Value is not "false")
                {
                    options.Add(new(option.Value, scalar is { Style: ScalarStyle.Plain, Value: "true" } ? null : scalar.Value));
                }
            });
            return options;
        }

        private void ReadMap(string what, Action<Scalar> readEntry)
        {
            if (!parser.TryConsume<MappingStart>(out _))
            {
                throw Fault(parser.Current!, $"{what} must be a map, of lines such as 'key: value'");
            }

            var seen = new HashSet<string>(StringComparer.Ordinal);
            while (!parser.TryConsume<MappingEnd>(out _))
            {
                if (!parser.TryConsume<Scalar>(out var key))
                {
                    throw Fault(parser.Current!, "a key must be a text");
                }

                if (!seen.Add(key.Value))
                {
                    throw Fault(key, $"'{key.Value}' is here twice");
                }

                readEntry(key);
            }
        }

        private string ReadText(Scalar key) =>
            parser.TryConsume<Scalar>(out var value) && value.Value.Length > 0
                ? value.Value
                : throw Fault(key, $"'{key.Value}' needs a text");

        private List<string> ReadList(Scalar key)
        {
            if (parser.TryConsume<Scalar>(out var one))
            {
                return [one.Value];
            }

            if (!parser.TryConsume<SequenceStart>(out _))
            {
                throw Fault(key, $"'{key.Value}' needs a list, such as [a, b]");
            }

            var list = new List<string>();
            while (!parser.TryConsume<SequenceEnd>(out _))
            {
                list.Add(parser.TryConsume<Scalar>(out var item)
                    ? item.Value
                    : throw Fault(parser.Current!, $"'{key.Value}' must be a list of texts"));
            }

            return list;
        }

        private RequestException Fault(ParsingEvent at, string what) => new($"{name}, line {at.Start.Line}: {what}");
    }
}

/// <summary>Writes <c>seed.yaml</c>: what the names of the files do not say.</summary>
internal sealed class SeedYaml
{
    private readonly SortedDictionary<string, string> _shared = new(StringComparer.Ordinal);
    private readonly List<(string File, string? Table, SortedDictionary<string, string> Options)> _files = [];

    /// <summary>An import's options as a map within a line, such as <c>{ encoding: cp1250, trim: true }</c>.</summary>
    /// <param name="words">as they are typed</param>
    public static string OptionsOf(IReadOnlyList<string> words)
    {
        var options = new List<(string Name, List<string> Values)>();
        List<string> values = [];
        foreach (var word in words)
        {
            if (!word.StartsWith("--", StringComparison.Ordinal))
            {
                values.Add(word);
                continue;
            }

            var at = word.IndexOf('=', StringComparison.Ordinal);
            var name = at < 0 ? word[2..] : word[2..at];
            if (options.Find(option => option.Name == name).Values is { } known)
            {
                values = known;
            }
            else
            {
                options.Add((name, values = []));
            }

            values.AddRange(at < 0 ? [] : [word[(at + 1)..]]);
        }

        return $"{{ {string.Join(", ", options.Select(option => $"{option.Name}: {Values(option.Values)}"))} }}";

        static string Values(List<string> values) => values switch
        {
            [] => "true",
            [var one] => Quote(one),
            _ => $"[{string.Join(", ", values.Select(Quote))}]",
        };
    }

    public void Share(string option, string value) => _shared[option] = value;

    public void Add(string file, string? table, IEnumerable<(string Name, string Value)> options)
    {
        var own = new SortedDictionary<string, string>(
            options.ToDictionary(option => option.Name, option => option.Value), StringComparer.Ordinal);
        if (table is not null || own.Count > 0)
        {
            _files.Add((file, table, own));
        }
    }

    /// <summary>Null: nothing is to be said.</summary>
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

    /// <summary>Writes a plain scalar where it can only be read as a text; control characters need double quotes and escapes.</summary>
    private static string Quote(string text) =>
        text.Length > 0 && char.IsAsciiLetter(text[0]) && text.All(sign => char.IsAsciiLetterOrDigit(sign) || sign is '_' or '.' or '-')
            && text.ToUpperInvariant() is not ("TRUE" or "FALSE" or "YES" or "NO" or "ON" or "OFF" or "NULL" or "Y" or "N") ? text
        : text.Any(char.IsControl)
            ? $"\"{string.Concat(text.Select(Escaped))}\""
        : $"'{text.Replace("'", "''", StringComparison.Ordinal)}'";

    private static string Escaped(char sign) =>
        char.IsControl(sign) ? $"\\u{(int)sign:x4}" : sign is '"' or '\\' ? $"\\{sign}" : sign.ToString();
}
