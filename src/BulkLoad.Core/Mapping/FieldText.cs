using System.Text;

namespace BulkLoad.Core.Mapping;

/// <summary>A value as it is shown in a message: short, on one line.</summary>
internal static class FieldText
{
    private const int MostCharacters = 40;

    public static string Show(ReadOnlySpan<byte> value)
    {
        var shown = new StringBuilder("'");
        foreach (var rune in Encoding.UTF8.GetString(value[..Math.Min(value.Length, MostCharacters * 4)]).EnumerateRunes())
        {
            if (shown.Length > MostCharacters)
            {
                break;
            }

            shown.Append(rune.Value switch
            {
                '\n' => "\\n",
                '\r' => "\\r",
                '\t' => "\\t",
                _ => Rune.IsControl(rune) ? $"\\x{rune.Value:x2}" : rune.ToString(),
            });
        }

        return shown.Append(value.Length > MostCharacters && shown.Length > MostCharacters ? "...'" : "'").ToString();
    }
}
