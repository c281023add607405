using System.Text.Unicode;

namespace BulkLoad.IntegrationTests.Differential;

/// <summary>A record of a <see cref="RandomFile"/>.</summary>
/// <param name="Text">as it stands in the file, in UTF-8, without its line end</param>
/// <param name="Row">what the table must hold for it, a value a column; null where it is refused</param>
/// <param name="Code">the reason for which it is refused; null where it is taken</param>
internal sealed record FileRecord(byte[] Text, string?[]? Row, string? Code)
{
    /// <summary>Of its first byte in the file.</summary>
    public long Offset { get; init; }

    /// <summary>1-based.</summary>
    public long Line { get; init; }
}

/// <summary>A file of random records for a table: most of them good, each bad one for one reason.</summary>
internal sealed class RandomFile
{
    private readonly Random _random;
    private readonly RandomTable _table;
    private readonly FileForm _form;
    private readonly RandomColumn[] _fields;
    private readonly List<(int Number, int? Unique)> _taken = [];
    private readonly SortedDictionary<string, int> _passedLines = new() { ["empty-lines"] = 0, ["repeated-header"] = 0 };
    private int _number;

    public RandomFile(Random random, RandomTable table, FileForm form)
    {
        (_random, _table, _form) = (random, table, form);
        _fields = [.. table.Columns.Where(column => !column.IsOmitted).OrderBy(_ => random.Next())];
        HasHeader = !form.IsJson && random.Next(4) > 0;
        IsGzip = random.Next(12) == 0;
        NamesColumns = form.IsJson ? random.Next(2) == 0 : !HasHeader || random.Next(4) == 0;
        var newline = form.IsSeparated ? Cell.Pick(random, ["\n", "\r\n", "\r"]) : "\n";
        var records = new List<FileRecord>();
        for (var left = random.Next(1, 70); left > 0; left--)
        {
            records.Add(records.Count > 0 && random.Next(4) == 0 ? Bad() : Good());
        }

        if (form.IsSeparated && !form.RepairsDirt && random.Next(4) == 0)
        {
            // Not anywhere else: what follows would be read as its field first.
            records.Add(new FileRecord(
                [.. Encoding.UTF8.GetBytes("\"never closed"), FieldWriter.Delimiter(form), (byte)'x'], null, "unclosed-quote"));
        }

        (Content, Records) = Lay(records, newline);
    }

    public bool HasHeader { get; }

    /// <summary>Whether the request names the columns of the fields.</summary>
    public bool NamesColumns { get; }

    public bool IsGzip { get; }

    public IReadOnlyList<string> FieldColumns => [.. _fields.Select(column => column.Set is null ? column.Name : $"@{column.Name}")];

    /// <summary>Not compressed.</summary>
    public byte[] Content { get; }

    /// <summary>Whether so few records beyond ASCII are valid UTF-8 that the file's encoding has to be named.</summary>
    public bool LooksLikeNoUtf8 => !_form.IsUtf16 && Records.Count(record => !Utf8.IsValid(record.Text))
        > Records.Count(record => Utf8.IsValid(record.Text) && !Ascii.IsValid(record.Text)) + 1;

    public IReadOnlyList<FileRecord> Records { get; }

    /// <summary>Lines that no record stands on and nothing is lost with, by their kind.</summary>
    public IReadOnlyDictionary<string, int> PassedLines => _passedLines;

    private FileRecord Good() => Record(_ => false, _number++, null);

    private FileRecord Bad()
    {
        switch (_random.Next(5))
        {
            case 0:
                return _form.RepairsDirt ? Dirty() : BadForm();
            case 1 when _taken.Count > 0 && _table.Primary.Count > 0 && _table.Primary.All(_fields.Contains):
                return Record(_ => false, Cell.Pick(_random, _taken).Number, "duplicate-key");
            case 2 when _table.Unique is not null && _taken.Where(taken => taken.Unique is not null).ToArray() is { Length: > 0 } taken:
                return Record(_ => false, _number++, "duplicate-key", Cell.Pick(_random, taken).Unique);
            default:
                var at = Cell.Pick(_random, _fields);
                return Record(column => column == at, _number++, null);
        }
    }

    /// <param name="isBad">the column whose value must be refused, if it has such values</param>
    /// <param name="number">of the key</param>
    /// <param name="code">for which the whole is refused; null: what its values say</param>
    /// <param name="twin">the number of the unique key's value; null: another or NULL</param>
    private FileRecord Record(Func<RandomColumn, bool> isBad, int number, string? code, int? twin = null)
    {
        int? unique = twin ?? (_table.Unique is { IsNullable: true } && _random.Next(4) == 0 ? null : _number + 10_000);
        var cells = Cells(isBad, number, unique);
        return Record(cells, Write(cells), number, unique, code);
    }

    private FileRecord Record(Dictionary<RandomColumn, Cell> cells, byte[] text, int number, int? unique, string? code)
    {
        code ??= cells.Values.FirstOrDefault(cell => cell.Code is not null)?.Code;
        if (code is not null)
        {
            return new FileRecord(text, null, code);
        }

        _taken.Add((number, unique));
        return new FileRecord(text, [.. _table.Columns.Select(column => Normal(column, StoredIn(column, cells)))], null);
    }

    private Dictionary<RandomColumn, Cell> Cells(Func<RandomColumn, bool> isBad, int number, int? unique) =>
        _fields.ToDictionary(column => column, column =>
            column == _table.Unique ? (unique is { } n ? column.Nth!(n, _random, _form) : Null(column))
            : column.Nth is { } nth ? nth(number, _random, _form)
            : Clean(isBad(column) ? BadCell : GoodCell, column));

    private byte[] Write(Dictionary<RandomColumn, Cell> cells) =>
        FieldWriter.Write(_random, _form, [.. _fields.Select(column => (column.Name, cells[column]))]);

    /// <summary>Where dirt is repaired, a value without any: none that begins or ends with blanks, none with NUL bytes.</summary>
    private Cell Clean(Func<RandomColumn, Cell> draw, RandomColumn column)
    {
        var cell = draw(column);
        while (_form.RepairsDirt && cell.Field is { Length: > 0 } field
            && (field.Contains((byte)0) || field[0] is (byte)' ' or (byte)'\t' || field[^1] is (byte)' ' or (byte)'\t'))
        {
            cell = _random.Next(4) == 0 ? GoodCell(column) : draw(column);
        }

        return cell;
    }

    /// <summary>A record that a repair makes a good one; where there is no way to spoil it, a good one as it is.</summary>
    private FileRecord Dirty()
    {
        var (number, unique) = (_number++, _table.Unique is null ? (int?)null : _number + 10_000);
        var cells = Cells(_ => false, number, unique);
        var isShort = _random.Next(2) == 0 && _fields.Length > 2 && _fields[^1].Nth is null;
        var texts = _fields.Where(column => column.Type.IsCharacter && column.Nth is null).ToArray();
        if (isShort)
        {
            cells[_fields[^1]] = LeftOut(_fields[^1]) with { IsMissing = true };
        }
        else if (_form.IsSeparated && texts.Length > 0 && _random.Next(3) > 0)
        {
            cells[Cell.Pick(_random, texts)] = TextTypes.Same(Cell.Pick(_random, ["a\"b", "\"ab\"c"])) with { IsDirty = true };
        }

        var text = Write(cells);
        var isSpoilt = cells.Values.Any(cell => cell.IsDirty);
        if (isSpoilt ? IsOneLine(text) && IsAlone(cells) : IsPlain(text))
        {
            return Record(cells, isSpoilt || isShort
                ? text : [.. text, .. Enumerable.Repeat(FieldWriter.Delimiter(_form), _random.Next(1, 3))], number, unique, null);
        }

        return Record(_ => false, number, null);
    }

    private static Cell LeftOut(RandomColumn column) =>
        column.IsNullable || column.Default is not null ? Cell.Null(column.Default) : Cell.Null(code: "missing-value");

    private static bool IsOneLine(byte[] text) => !text.Any(sign => sign is (byte)'\n' or (byte)'\r');

    /// <summary>Whether no field but the spoilt one can have a quote.</summary>
    private static bool IsAlone(Dictionary<RandomColumn, Cell> cells) =>
        cells.Values.All(cell => cell.IsDirty || cell.IsEmpty || cell.Field is not { } field
            || (field.Length > 0 && field.All(sign => sign is >= (byte)'.' and <= (byte)'z' and not (byte)';' and not (byte)'\\')));

    /// <summary>Whether nothing in it means anything in this dialect or another, but its own delimiter.</summary>
    private bool IsPlain(byte[] text) => IsOneLine(text) && text.All(sign =>
        sign == FieldWriter.Delimiter(_form) || sign is not ((byte)',' or (byte)';' or (byte)'\t' or (byte)'|' or (byte)'"' or (byte)'\''));

    private static string? StoredIn(RandomColumn column, Dictionary<RandomColumn, Cell> cells) =>
        !cells.TryGetValue(column, out var cell) ? column.Default : column.Set is { } set ? set.Of(cell.Stored) : cell.Stored;

    private static string? Normal(RandomColumn column, string? text) => text is null ? null : column.Type.Normalize(text);

    private Cell GoodCell(RandomColumn column) => _random.Next(10) switch
    {
        0 when column.IsNullable => Null(column),
        0 when column.Type.IsCharacter && _form.IsSeparated => Cell.Of("", "") with { IsEmpty = true },
        2 when _form.Rounds && column.Type.Finer is { } finer => finer(_random, _form),
        1 when _form.IsJson && (column.IsNullable || column.Default is not null) => Cell.Null(column.Default) with { IsMissing = true },
        _ => column.Type.Good(_random, _form),
    };

    private Cell Null(RandomColumn column) =>
        !column.IsNullable ? Cell.Null(code: "null-not-allowed")
        : Cell.Null() with { IsEmpty = _form.IsSeparated && _random.Next(2) == 0 };

    private Cell BadCell(RandomColumn column) => _random.Next(4) switch
    {
        0 when !column.IsNullable && !column.Type.IsCharacter && _form.IsSeparated =>
            Cell.Null(code: "null-not-allowed") with { IsEmpty = true },
        0 when !column.IsNullable => Null(column),
        1 when _form.IsJson && !column.IsNullable && column.Default is null => Cell.Null(code: "missing-value") with { IsMissing = true },
        _ => (column.Type.Bad ?? column.Type.Good)(_random, _form),
    };

    /// <summary>Against the format's rules.</summary>
    private FileRecord BadForm()
    {
        var (text, code) = _form.IsJson ? BadJson() : BadFields();
        return new FileRecord(Encoding.UTF8.GetBytes(text), null, code);
    }

    private (string Text, string Code) BadJson()
    {
        var name = System.Text.Json.JsonSerializer.Serialize(_fields[0].Name);
        return _random.Next(6) switch
        {
            0 => ($"{{{name}: 1", "invalid-json"),
            1 => ("[1]", "not-an-object"),
            2 => ($"{{{name}: 1, {name}: 1}}", "duplicate-name"),
            3 when NamesColumns => ("{\"no such key\": 1}", "unknown-key"),
            4 => ($"{{{name}: \"\\ud800\"}}", "lone-surrogate"),
            _ => ($"{{{name}: 'x'}}", "invalid-json"),
        };
    }

    private (string Text, string Code) BadFields()
    {
        var delimiter = (char)FieldWriter.Delimiter(_form);
        string Plain(int count) => string.Join(delimiter, Enumerable.Repeat("7", count));
        var behind = Plain(_fields.Length - 1);
        return _random.Next(_form.IsSeparated ? 4 : 2) switch
        {
            // Nothing at all would be a record where there is one column.
            0 when _fields.Length > 1 => (Plain(_fields.Length - 1), "few-fields"),
            0 or 1 => (Plain(_fields.Length + _random.Next(1, 3)), "many-fields"),
            2 => ($"a\"b{delimiter}{behind}", "stray-quote"),
            _ => ($"\"ab\"c{delimiter}{behind}", "text-after-quote"),
        };
    }

    private (byte[] Content, IReadOnlyList<FileRecord> Records) Lay(List<FileRecord> records, string newline)
    {
        var content = new List<byte>();
        var laid = new List<FileRecord>();
        var line = 1L;
        if (_form.IsUtf16)
        {
            content.AddRange(Encoding.Unicode.GetPreamble());
        }

        void Add(byte[] text)
        {
            content.AddRange(_form.IsUtf16 ? Encoding.Unicode.GetBytes(Encoding.UTF8.GetString(text)) : text);
            line += Lines(text);
        }

        byte[] header = [];
        if (HasHeader)
        {
            Add(header = FieldWriter.Write(
                _random, _form, [.. _fields.Select(column => ("", Cell.Of(NamesColumns ? $"x{column.Name}" : column.Name, "")))]));
            Add(Encoding.UTF8.GetBytes(newline));
        }

        foreach (var record in records)
        {
            if (_form.RepairsDirt && _fields.Length > 1 && record.Row is not null && _random.Next(8) == 0)
            {
                var repeats = HasHeader && _random.Next(2) == 0;
                Add([.. repeats ? header : [], .. Encoding.UTF8.GetBytes(newline)]);
                _passedLines[repeats ? "repeated-header" : "empty-lines"]++;
            }

            laid.Add(record with { Offset = content.Count, Line = line });
            Add(record.Text);
            if (record != records[^1] || _random.Next(3) > 0)
            {
                Add(Encoding.UTF8.GetBytes(newline));
            }
        }

        return ([.. content], laid);
    }

    private int Lines(byte[] text)
    {
        var ends = text.Count(sign => sign == '\n');
        return _form.IsSeparated
            ? ends + text.Where((sign, at) => sign == '\r' && (at + 1 == text.Length || text[at + 1] != '\n')).Count() : ends;
    }
}
