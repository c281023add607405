using System.Text.RegularExpressions;

namespace BulkLoad.Core.Strategies.Insert;

/// <summary>The row that a server names in a message: <c>... for column 'age' at row 17</c>.</summary>
internal static partial class RowNumberText
{
    /// <summary>0-based row, or null where the message has none.</summary>
    public static int? Find(string message) =>
        Pattern().Match(message) is { Success: true } match && int.TryParse(match.Groups[1].ValueSpan, CultureInfo.InvariantCulture, out var row) && row > 0
            ? row - 1
            : null;

    [GeneratedRegex(@"at row (\d+)$", RegexOptions.CultureInvariant)]
    private static partial Regex Pattern();
}
