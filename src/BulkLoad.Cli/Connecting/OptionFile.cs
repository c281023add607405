namespace BulkLoad.Cli.Connecting;

/// <summary>One line of an option file with a setting or directive.</summary>
/// <param name="Line">1-based</param>
/// <param name="Group">without brackets; empty before the first group</param>
/// <param name="Name">with dashes, or a directive: <c>!include</c>, <c>!includedir</c></param>
/// <param name="Value">null: the name stood alone</param>
internal sealed record OptionFileEntry(int Line, string Group, string Name, string? Value);

/// <summary>The text of an option file (MySQL manual, "Using Option Files"): comments, groups, names with dashes or underscores, values
/// with or without quotes, with the escapes <c>\b \t \n \r \\ \s \' \"</c>; any other backslash is itself.</summary>
internal static class OptionFile
{
    /// <exception cref="FormatException">a line cannot be read; the message names it but does not repeat it</exception>
    public static IReadOnlyList<OptionFileEntry> Parse(string text)
    {
        List<OptionFileEntry> entries = [];
        var group = "";
        var number = 0;
        foreach (var raw in text.TrimStart('\uFEFF').Split('\n'))
        {
            number++;
            var line = raw.Trim();
            if (line.Length == 0 || line[0] is '#' or ';')
            {
                continue;
            }

            if (line[0] == '[')
            {
                var end = line.IndexOf(']', StringComparison.Ordinal);
                group = end > 0 ? line[1..end].Trim() : throw new FormatException($"line {number}: the group's ']' is missing");
            }
            else
            {
                entries.Add(line[0] == '!' ? Directive(number, group, line) : Setting(number, group, WithoutComment(line)));
            }
        }

        return entries;
    }

    private static OptionFileEntry Directive(int number, string group, string line)
    {
        var parts = line.Split((char[])[' ', '\t'], 2, StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        return parts is ["!include" or "!includedir", var path]
            ? new OptionFileEntry(number, group, parts[0], path)
            : throw new FormatException($"line {number}: only !include FILE and !includedir FOLDER begin with '!'");
    }

    private static OptionFileEntry Setting(int number, string group, string line)
    {
        if (group.Length == 0)
        {
            throw new FormatException($"line {number}: a setting is before the first [group]");
        }

        var equals = line.IndexOf('=', StringComparison.Ordinal);
        var name = (equals < 0 ? line : line[..equals]).Trim().Replace('_', '-');
        return new OptionFileEntry(number, group, name, equals < 0 ? null : Value(line[(equals + 1)..].Trim()));
    }

    /// <summary>A # begins a comment in the middle of a line too, but not in quotes.</summary>
    private static string WithoutComment(string line)
    {
        var quote = '\0';
        for (var i = 0; i < line.Length; i++)
        {
            var c = line[i];
            if (quote == '\0' && c == '#')
            {
                return line[..i].TrimEnd();
            }

            if (c == '\\' && quote != '\0')
            {
                i++;
            }
            else if (c is '\'' or '"' && (quote == '\0' || quote == c))
            {
                quote = quote == '\0' ? c : '\0';
            }
        }

        return line;
    }

    private static string Value(string text)
    {
        if (text.Length >= 2 && text[0] is '\'' or '"' && text[^1] == text[0])
        {
            text = text[1..^1];
        }

        var plain = new StringBuilder(text.Length);
        for (var i = 0; i < text.Length; i++)
        {
            char? escaped = text[i] != '\\' || i + 1 == text.Length ? null : text[i + 1] switch
            {
                'b' => '\b',
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                's' => ' ',
                '\\' => '\\',
                '\'' => '\'',
                '"' => '"',
                _ => null,
            };
            plain.Append(escaped ?? text[i]);
            i += escaped is null ? 0 : 1;
        }

        return plain.ToString();
    }
}
