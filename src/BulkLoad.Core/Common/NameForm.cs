namespace BulkLoad.Core.Common;

/// <summary>A name without what people write in several ways (case, blanks, signs, accents), so that its spellings are equal.</summary>
internal static class NameForm
{
    private const char FirstAccented = '\u00C0';

    /// <summary>The letters of U+00C0 to U+017F without their accents; a blank stands for none.</summary>
    private const string Plain =
        "aaaaaaaceeeeiiiidnooooo ouuuuytsaaaaaaaceeeeiiiidnooooo ouuuuyty"
        + "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkkllllllllll"
        + "nnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

    /// <summary>Letters and digits, in lower case and without accents. Empty: there are none.</summary>
    public static string Reduce(string name)
    {
        var form = new StringBuilder(name.Length);
        foreach (var letter in name)
        {
            if (letter >= FirstAccented && letter - FirstAccented < Plain.Length && Plain[letter - FirstAccented] != ' ')
            {
                form.Append(Plain[letter - FirstAccented]);
            }
            else if (char.IsLetterOrDigit(letter) || char.IsSurrogate(letter))
            {
                form.Append(char.ToLowerInvariant(letter));
            }
        }

        return form.ToString();
    }

    /// <summary>Whether the name has accents that are characters of their own (U+0301 and others). It looks the same as a name without
    /// them.</summary>
    public static bool HasMarks(string name) => name.Any(letter => char.GetUnicodeCategory(letter) == UnicodeCategory.NonSpacingMark);
}
