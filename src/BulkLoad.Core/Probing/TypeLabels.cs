using System.Text;

namespace BulkLoad.Core.Probing;

/// <summary>The labels in a type's text, such as <c>enum('a','it''s')</c>.</summary>
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
                    label.Append(character);
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
}
