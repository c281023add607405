namespace BulkLoad.Cli.Output;

/// <summary>Breaks lines that are wider than the terminal: between words, and not within a quoted name or value, a path or a URL. A
/// continued line is indented; a command can still be copied as it is.</summary>
internal static class LineWrap
{
    private const int Indent = 2;
    private const string Program = "bulkload ";
    private const string CommandFollows = ": " + Program;
    private const string ContinuedCommand = " \\";
    private const string HelpFollows = "(bulkload";
    private static readonly string[] Units = ["s", "ms", "B", "kB", "MB", "GB"];

    /// <summary>Lines end with <c>\n</c>.</summary>
    public static string Text(string text, int width) => string.Join('\n', text.Split('\n').SelectMany(line => Line(line, width)));

    public static IEnumerable<string> Line(string line, int width)
    {
        if (TextWidth.Of(line) <= width)
        {
            return [line];
        }

        var text = line.TrimStart(' ');
        var indent = line.Length - text.Length;
        if (LastCell(line, indent) is not { } cell)
        {
            return Flow(text, new string(' ', indent), new string(' ', indent + Indent), width);
        }

        // Text beside a label continues beside it, if that leaves at least half of the width.
        var margin = TextWidth.Of(line[..cell]);
        return margin <= width / 2
            ? Flow(line[cell..], line[..cell], new string(' ', margin), width)
            : Line(line[..cell].TrimEnd(), width).Concat(Below(line[cell..], indent, width));
    }

    /// <summary>Lines without an indent; at least one.</summary>
    public static List<string> Paragraph(string text, int width) => Fill(Words(text, width), "", "", width, "");

    private static List<string> Below(string cell, int indent, int width)
    {
        var margin = new string(' ', indent + (2 * Indent));
        return Flow(cell, margin, margin, width);
    }

    /// <summary>Where the text after the last gap of two blanks or more begins; null: there is none.</summary>
    private static int? LastCell(string line, int indent)
    {
        var gap = line.TrimEnd().LastIndexOf("  ", StringComparison.Ordinal);
        return gap > indent ? gap + 2 : null;
    }

    /// <summary>Wraps a text, and below it the command that it ends with; the form of a command, as in <c>Usage:</c>, is text.</summary>
    /// <param name="first">before the first line</param>
    /// <param name="others">before all others</param>
    private static List<string> Flow(string text, string first, string others, int width)
    {
        if (text.StartsWith(Program, StringComparison.Ordinal))
        {
            return Command(text, first, $"{others}{new string(' ', Indent)}", width);
        }

        var end = text.IndexOf(CommandFollows, StringComparison.Ordinal);
        return end <= 0 || text.Contains(" | ", StringComparison.Ordinal) || text.Contains('[', StringComparison.Ordinal)
            ? Fill(Words(text, width - others.Length), first, others, width, "")
            : [
                .. Fill(Words(text[..(end + 1)], width - others.Length), first, others, width, ""),
                .. Command(text[(end + 2)..], others, $"{others}{new string(' ', Indent)}", width),
            ];
    }

    /// <summary>A shell takes the parts as one command. Windows has no single way to continue a line.</summary>
    private static List<string> Command(string text, string first, string others, int width) =>
        OperatingSystem.IsWindows() ? [first + text] : Fill(WithValues(ShellWordsOf(text)), first, others, width, ContinuedCommand);

    /// <param name="more">at the end of every line but the last</param>
    private static List<string> Fill(List<string> words, string first, string others, int width, string more)
    {
        List<string> lines = [];
        var line = first;
        var isEmpty = true;
        for (var i = 0; i < words.Count; i++)
        {
            var end = i == words.Count - 1 ? 0 : more.Length;
            if (!isEmpty && TextWidth.Of(line) + 1 + TextWidth.Of(words[i]) + end > width)
            {
                lines.Add(line + more);
                (line, isEmpty) = (others, true);
            }

            line += isEmpty ? words[i] : $" {words[i]}";
            isEmpty = false;
        }

        lines.Add(line);
        return lines;
    }

    /// <summary>Quoted texts, amounts with their units, and commands in parentheses are one word if they fit into a line.</summary>
    private static List<string> Words(string text, int width)
    {
        List<string> words = [];
        var all = text.Split(' ');
        for (var i = 0; i < all.Length; i++)
        {
            var last = UnitEnd(all, i);
            var unit = string.Join(' ', all[i..(last + 1)]);
            var isWhole = TextWidth.Of(unit) <= width || IsPlace(unit);
            words.Add(isWhole ? unit : all[i]);
            i = isWhole ? last : i;
        }

        return words;
    }

    /// <summary>Whether a quoted text is a path or a URL: in parts it could not be copied.</summary>
    private static bool IsPlace(string quoted)
    {
        var text = quoted.TrimStart('(', '[', '\'', '`', '"');
        return text.Length < quoted.Length
            && (text.StartsWith('/') || text.StartsWith("./", StringComparison.Ordinal) || text.StartsWith("../", StringComparison.Ordinal)
                || text.Contains("://", StringComparison.Ordinal));
    }

    /// <summary>Index of the last word that must stay with this one.</summary>
    private static int UnitEnd(string[] words, int start)
    {
        var next = start + 1 < words.Length ? words[start + 1].TrimEnd(')', ',', ';', '.') : "";
        if (words[start] is [.., >= '0' and <= '9'] && Units.Contains(next))
        {
            return start + 1;
        }

        return words[start] == HelpFollows
            ? Math.Max(start, Array.FindIndex(words, start, word => word.EndsWith(')')))
            : QuoteEnd(words, start);
    }

    /// <summary>Index of the word that ends the quote that begins with this one, or of this one.</summary>
    private static int QuoteEnd(string[] words, int start)
    {
        var opening = words[start].TrimStart('(', '[');
        if (opening.Length == 0 || opening[0] is not ('\'' or '`' or '"'))
        {
            return start;
        }

        for (var i = start; i < words.Length; i++)
        {
            if (Closes(i == start ? opening[1..] : words[i], opening[0]))
            {
                return i;
            }
        }

        return start;
    }

    /// <summary>Whether the word ends a quote: the sign, and no letter after it.</summary>
    private static bool Closes(string word, char sign)
    {
        for (var i = 0; i < word.Length; i++)
        {
            if (word[i] == sign && (i == word.Length - 1 || !char.IsLetterOrDigit(word[i + 1])))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Joins an option and the word after it, which may be its value.</summary>
    private static List<string> WithValues(List<string> words)
    {
        List<string> all = [];
        foreach (var word in words)
        {
            if (all is [.., ['-', ..] option] && word is not ['-', ..] && !option.Contains(' ', StringComparison.Ordinal))
            {
                all[^1] = $"{option} {word}";
            }
            else
            {
                all.Add(word);
            }
        }

        return all;
    }

    /// <summary>Words of a command; blanks within quotes separate none.</summary>
    private static List<string> ShellWordsOf(string command)
    {
        List<string> words = [];
        var start = 0;
        var quote = '\0';
        for (var i = 0; i < command.Length; i++)
        {
            var sign = command[i];
            if (quote != '\0')
            {
                quote = sign == quote ? '\0' : quote;
            }
            else if (sign is '\'' or '"')
            {
                quote = sign;
            }
            else if (sign == ' ')
            {
                words.Add(command[start..i]);
                start = i + 1;
            }
        }

        return [.. words, command[start..]];
    }
}
