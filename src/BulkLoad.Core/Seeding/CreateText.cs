using System.Text.RegularExpressions;

namespace BulkLoad.Core.Seeding;

/// <summary>What SHOW CREATE writes, without what belongs to one server or one moment.</summary>
internal static partial class CreateText
{
    /// <summary>A table without its next id: rows that are loaded say where it begins.</summary>
    public static string WithoutCounter(string create) => Counter().Replace(create, "$1", 1);

    /// <summary>A view or trigger that becomes that of the account which makes it.</summary>
    public static string WithoutDefiner(string create) => Definer().Replace(create, "$1", 1);

    /// <summary>A word that does not stand in the text.</summary>
    public static string DelimiterFor(string text)
    {
        var word = "//";
        for (var i = 1; text.Contains(word, StringComparison.Ordinal); i++)
        {
            word = $"$end{i}$";
        }

        return word;
    }

    /// <summary>On the line behind the last column; texts in the statement have no line ends, but for labels and defaults of MySQL, which
    /// end with a quote.</summary>
    [GeneratedRegex(@"(\n\) (?:ENGINE=\w+ )?)AUTO_INCREMENT=\d+ ?", RegexOptions.CultureInvariant | RegexOptions.RightToLeft)]
    private static partial Regex Counter();

    [GeneratedRegex(
        "^(CREATE (?:OR REPLACE )?(?:ALGORITHM=\\w+ )?)DEFINER=`(?:[^`]|``)*`(?:@`(?:[^`]|``)*`)? ", RegexOptions.CultureInvariant)]
    private static partial Regex Definer();
}
