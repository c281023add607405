namespace BulkLoad.Core.Common;

/// <summary>The fields of the input that an expression of <c>--set</c> reads, written <c>@name</c> as LOAD DATA has it. Names ignore
/// case.</summary>
internal static class SetFields
{
    public static StringComparer Names => StringComparer.OrdinalIgnoreCase;

    /// <summary>Whether a word of <c>--columns</c> or <c>--map</c> means a field that goes to no column.</summary>
    public static bool IsField(string target) => target.StartsWith('@');

    /// <summary>The name of each field that an expression reads, without the <c>@</c>, once for each place where it does.</summary>
    public static IEnumerable<string> In(string expression) =>
        SqlTokens.Of(expression).Where(token => token.Kind == SqlTokenKind.Variable).Select(token => token.Name);

    /// <summary>The first variable to which an expression assigns a value, without the <c>@</c>; null: it assigns none.</summary>
    public static string? FindAssigned(string expression)
    {
        SqlToken before = default;
        foreach (var token in SqlTokens.Of(expression))
        {
            if (before.Kind == SqlTokenKind.Variable && token.Kind == SqlTokenKind.Sign && expression.AsSpan(token.Start).StartsWith(":="))
            {
                return before.Name;
            }

            before = token;
        }

        return null;
    }
}
