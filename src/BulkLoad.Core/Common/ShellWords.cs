namespace BulkLoad.Core.Common;

/// <summary>Words as a POSIX shell reads them.</summary>
public static class ShellWords
{
    /// <summary>A command line, in which only what needs quotes has them.</summary>
    public static string Join(IEnumerable<string> words) => string.Join(' ', words.Select(Quote));

    /// <summary>A word in quotes.</summary>
    public static string Enclose(string word) => $"'{word.Replace("'", @"'\''", StringComparison.Ordinal)}'";

    private static string Quote(string word) => word.Length > 0 && word.All(IsPlain) ? word : Enclose(word);

    private static bool IsPlain(char letter) =>
        char.IsLetterOrDigit(letter) || letter is '-' or '_' or '.' or '/' or ',' or ':' or '=' or '+' or '@' or '%';
}
