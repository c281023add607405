namespace BulkLoad.IntegrationTests.GeneratedFiles;

/// <summary>A file in one of the many forms that people's files have, made from a seed, with the cells that a program should find in
/// it.</summary>
internal sealed class GeneratedFile
{
    private static readonly string[] Names =
    [
        "id", "name", "city", "created", "price", "Last Name", "zip", "größe", "2019", "e-mail", "state", "code", "note", "x",
        "Value (EUR)", "is_active",
    ];

    private static readonly string[] Texts =
    [
        "Ann", "Bob Miller", "O'Brien", "San Julia, San", "a;b", "left|right", "say \"hi\"", "5\" pipe", "two\nlines", "Zoë", "x^y",
        "key: value", "a~b", "#7F3B08",
        "C:\\tmp", "日本", "12:30", "A::B", "(none)", "it's 5 o'clock",
    ];

    private readonly Random _random;
    private readonly List<string> _options = [];
    private readonly string _delimiter;
    private readonly char? _quote;
    private readonly string _newline;
    private readonly bool _quotesAll;

    public GeneratedFile(int seed)
    {
        Seed = seed;
        _random = new Random(seed);
        IsCreated = Chance(0.6);
        _delimiter = Pick(",", ",", ",", ",", ";", ";", "\t", "\t", "|", "|", "^", "~", ":", "#", "||", "::");
        _quote = Chance(0.75) ? '"' : Chance(0.4) ? '\'' : null;
        _quotesAll = _quote is not null && Chance(0.2);
        _newline = Pick("\n", "\n", "\n", "\r\n", "\r\n", "\r");
        HasHeader = Chance(0.8);
        Columns = Draw();
        Rows = [.. Enumerable.Range(0, Pick(1, 2, 3, 5, 8, 20, 40)).Select(_ => RowOf())];
        Content = Write();
        Name = $"f{seed}{Pick(".csv", ".csv", ".csv", ".txt", ".dat", _delimiter == "\t" ? ".tsv" : ".csv")}";
    }

    public int Seed { get; }

    /// <summary>Whether the program makes the table; else it is there, with text columns.</summary>
    public bool IsCreated { get; }

    public bool HasHeader { get; }

    public string Name { get; }

    public IReadOnlyList<string> Columns { get; }

    /// <summary>The cells of the records that are no rejects, in order. An empty field is the empty text.</summary>
    public IReadOnlyList<string[]> Rows { get; }

    public byte[] Content { get; }

    public string Table => $"f{Seed}";

    /// <summary>What is typed behind the file.</summary>
    public IEnumerable<string> Options => [.. _options, "--table", Table, .. IsCreated ? new[] { "--create" } : []];

    public string? CreateSql => IsCreated ? null
        : $"CREATE TABLE {Table} ({string.Join(", ", Columns.Select(name => $"`{name}` LONGTEXT"))}) CHARACTER SET utf8mb4;\n";

    private List<string> Draw()
    {
        var count = Pick(1, 2, 3, 3, 4, 5, 8);
        var names = Names.OrderBy(_ => _random.Next()).Take(count).ToList();
        return HasHeader || !IsCreated ? names : [.. Enumerable.Range(1, count).Select(number => $"c{number}")];
    }

    private readonly List<int> _kinds = [];

    private string[] RowOf()
    {
        while (_kinds.Count < Columns.Count)
        {
            _kinds.Add(_random.Next(8));
        }

        return [.. _kinds.Select((kind, column) => Chance(column > 0 ? 0.08 : 0) ? "" : ValueOf(kind))];
    }

    private string ValueOf(int kind) => kind switch
    {
        0 => _random.Next(1, 100_000).ToString(CultureInfo.InvariantCulture),
        1 => $"{_random.Next(1, 1000)}.{_random.Next(1, 10)}",
        2 => new DateTime(2024, 1, 1).AddDays(_random.Next(700)).ToString("yyyy-MM-dd", CultureInfo.InvariantCulture),
        3 => Pick("red", "green", "blue", "Rome", "Oslo", "Bern"),
        4 => $"{(char)('A' + _random.Next(26))}{_random.Next(10)}-{_random.Next(10, 100)}",
        5 => $"u{_random.Next(1000)}@example.com",
        6 => $"{_random.Next(1, 100)},{_random.Next(10, 100)}",
        _ => Pick(Texts),
    };

    private byte[] Write()
    {
        var text = new StringBuilder();
        var hasEncoding = Chance(0.1);
        var says = Chance(0.35) || _delimiter.Length > 1;
        if (says)
        {
            _options.AddRange(["--delimiter", _delimiter == "\t" ? "tab" : _delimiter]);
        }

        if (_quote != '"' && Chance(0.5))
        {
            _options.AddRange(["--quote", $"{_quote}"]);
        }

        if (!HasHeader)
        {
            _options.Add("--no-header");
        }

        if (HasHeader && Chance(0.1) && Columns.Count > 1)
        {
            text.Append("Report of sales").Append(_newline);
            text.Append(Chance(0.5) ? _newline : "");
            _options.AddRange(["--dirt", "preamble=repair"]);
        }

        if (HasHeader)
        {
            Append(text, Columns);
        }

        var isRagged = Chance(0.1) && Columns.Count > 2;
        foreach (var row in Rows)
        {
            Append(text, row);
            if (isRagged && Chance(0.15))
            {
                // Refused: too few fields, or too many.
                Append(text, Chance(0.5) ? row[..^1] : [.. row, "surplus"]);
            }
        }

        if (isRagged)
        {
            _options.AddRange(["--max-rejects", "100%"]);
        }
        else if (Chance(0.08) && Columns.Count > 1)
        {
            text.Append(Chance(0.5) ? _newline : "").Append($"({Rows.Count} rows)").Append(_newline);
            _options.AddRange(["--dirt", "footer=repair"]);
        }
        else if (Chance(0.2))
        {
            text.Length -= _newline.Length;
        }

        return Encode(text.ToString(), hasEncoding);
    }

    private byte[] Encode(string text, bool hasEncoding)
    {
        if (hasEncoding && text.All(one => one < 0x100))
        {
            _options.AddRange(["--encoding", "windows-1252"]);
            return Encoding.Latin1.GetBytes(text);
        }

        Encoding encoding = Pick("", "", "", "mark", "utf-16") switch
        {
            "mark" => new UTF8Encoding(encoderShouldEmitUTF8Identifier: true),
            "utf-16" => new UnicodeEncoding(bigEndian: Chance(0.5), byteOrderMark: true),
            _ => new UTF8Encoding(encoderShouldEmitUTF8Identifier: false),
        };
        return [.. encoding.GetPreamble(), .. encoding.GetBytes(text)];
    }

    private void Append(StringBuilder text, IReadOnlyList<string> fields) =>
        text.AppendJoin(_delimiter, fields.Select(Enclose)).Append(_newline);

    /// <summary>Where nothing encloses fields, what would need it is written in another way.</summary>
    private string Enclose(string value)
    {
        if (_quote is not { } quote)
        {
            return value.Replace('\n', ' ').Replace(_delimiter, " ", StringComparison.Ordinal);
        }

        var needs = value.Contains(_delimiter, StringComparison.Ordinal) || value.Contains(quote, StringComparison.Ordinal)
            || value.Contains('\n', StringComparison.Ordinal)
            || value.Any(one => _delimiter.Contains(one, StringComparison.Ordinal));
        return needs || (_quotesAll && value.Length > 0)
            ? $"{quote}{value.Replace($"{quote}", $"{quote}{quote}", StringComparison.Ordinal)}{quote}" : value;
    }

    /// <summary>The cells as they are written.</summary>
    public IEnumerable<string[]> Expected => Rows.Select(row => row.Select(
        value => _quote is null ? value.Replace('\n', ' ').Replace(_delimiter, " ", StringComparison.Ordinal) : value).ToArray());

    /// <summary>The names as they are written.</summary>
    public IEnumerable<string> ExpectedColumns => Columns.Select(
        name => HasHeader && _quote is null ? name.Replace(_delimiter, " ", StringComparison.Ordinal) : name);

    private bool Chance(double share) => _random.NextDouble() < share;

    private T Pick<T>(params T[] values) => values[_random.Next(values.Length)];
}
