using System.Text.RegularExpressions;

namespace BulkLoad.IntegrationTests.Cases;

/// <summary>Compares texts line by line; <c>*</c> in an expected line stands for anything within the line.</summary>
internal static class TextDifference
{
    /// <summary>Empty where they are the same, else the lines that differ: - expected, + actual.</summary>
    public static string Find(string what, string expected, string actual)
    {
        var (wanted, got) = (Lines(expected), Lines(actual));
        var same = wanted.Zip(got).TakeWhile(pair => IsMatch(pair.First, pair.Second)).Count();
        if (same == wanted.Length && same == got.Length)
        {
            return "";
        }

        var most = Math.Min(wanted.Length, got.Length) - same;
        var tail = wanted.Reverse().Zip(got.Reverse()).Take(most).TakeWhile(pair => IsMatch(pair.First, pair.Second)).Count();
        var text = new StringBuilder($"{what} differs:\n");
        Append(text, "  ", wanted[..same]);
        Append(text, "- ", wanted[same..^tail]);
        Append(text, "+ ", got[same..^tail]);
        Append(text, "  ", wanted[^tail..]);
        return text.ToString();
    }

    private static string[] Lines(string text) => text.Length == 0 ? [] : (text[^1] == '\n' ? text[..^1] : text).Split('\n');

    private static void Append(StringBuilder text, string mark, string[] lines)
    {
        foreach (var line in lines)
        {
            text.Append(mark).AppendLine(line);
        }
    }

    private static bool IsMatch(string expected, string actual) => expected.Contains('*', StringComparison.Ordinal)
        ? Regex.IsMatch(actual, $"^{Regex.Escape(expected).Replace("\\*", ".*", StringComparison.Ordinal)}$",
            RegexOptions.CultureInvariant | RegexOptions.Singleline)
        : expected == actual;
}
