namespace BulkLoad.Core.Schema;

/// <summary>Reads the labels in a type such as <c>enum('a','it''s','back\\slash')</c>.</summary>
internal static class TypeLabels
{
    public static IReadOnlyList<string> Read(string typeText)
    {
        var labels = new List<string>();
        var label = new StringBuilder();
        var isInside = false;
        for (var i = typeText.IndexOf('(') + 1; i < typeText.Length; i++)
        {
            var character = typeText[i];
            if (character != '\'')
            {
                if (isInside)
                {
                    label.Append(character == '\\' && ++i < typeText.Length ? Unescape(typeText[i]) : character);
                }
            }
            else if (isInside && i + 1 < typeText.Length && typeText[i + 1] == '\'')
            {
                label.Append('\'');
                i++;
            }
            else
            {
                if (isInside)
                {
                    labels.Add(label.ToString());
                    label.Clear();
                }

                isInside = !isInside;
            }
        }

        return labels;
    }

    /// <summary>Both servers escape them as in a dump.</summary>
    private static char Unescape(char escaped) => escaped switch { '0' => '\0', 'n' => '\n', 'r' => '\r', _ => escaped };
}
