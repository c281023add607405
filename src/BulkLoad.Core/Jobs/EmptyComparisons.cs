using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Options;

namespace BulkLoad.Core.Jobs;

/// <summary>Finds expressions of <c>--set</c> that compare a field with the empty string, as users of LOAD DATA write them. Here an empty
/// field is NULL, which equals nothing.</summary>
internal static class EmptyComparisons
{
    private static readonly string[] NullFunctions = ["coalesce", "ifnull", "isnull", "nullif"];

    /// <exception cref="RequestException">an expression does so, and an empty field of the input is NULL</exception>
    public static void RequireNone(SourceInfo look, LoadRequest request)
    {
        if (!look.Format.IsCsv() || request.Values.Empty == EmptyMeaning.EmptyText)
        {
            return;
        }

        foreach (var (column, expression) in request.Assignments)
        {
            if (Find(expression) is not { } name)
            {
                continue;
            }

            var better = Better(expression, name);
            throw new RequestException(
                $"--set {column}: '{expression}' compares @{name} with '', and an empty field of {look.Name} is NULL, which equals "
                    + $"nothing: write {better}")
            {
                WaysOn =
                [
                    new WayOn("with an expression that takes NULL for empty")
                    {
                        Without = ["--set"],
                        Words = [.. request.Assignments.SelectMany(one =>
                            new[] { "--set", $"{one.Column}={(one.Column == column ? better : one.Expression)}" })],
                    },
                ],
            };
        }
    }

    /// <returns>the compared field, without the <c>@</c>; null: there is none, or the expression handles NULL</returns>
    private static string? Find(string expression)
    {
        SqlToken[] tokens = [.. SqlTokens.Of(expression)];
        for (var i = 0; i < tokens.Length; i++)
        {
            if (tokens[i].Kind == SqlTokenKind.Variable && IsCompared(expression, tokens, i)
                && !tokens.Select((token, at) => (token, at)).Any(one => one.token.Kind == SqlTokenKind.Variable
                    && SetFields.Names.Equals(one.token.Name, tokens[i].Name) && KnowsNull(expression, tokens, one.at)))
            {
                return tokens[i].Name;
            }
        }

        return null;
    }

    private static bool IsCompared(string text, SqlToken[] tokens, int at)
    {
        var next = at + 1;
        if (IsEqual(text, tokens, next, out var length))
        {
            return IsEmpty(text, tokens, next + length);
        }

        if (Is(tokens, next, "like"))
        {
            return IsEmpty(text, tokens, next + 1);
        }

        if (Is(tokens, at - 1, "case") || Is(tokens, next, "in"))
        {
            // The empty string is behind WHEN, or in the list.
            return tokens.Select((_, i) => i).Any(i => i > next && IsEmpty(text, tokens, i)
                && (Is(tokens, i - 1, "when") || (Is(tokens, next, "in") && text[tokens[i - 1].Start] is '(' or ',')));
        }

        return at > 1 && IsEmpty(text, tokens, at - 2) && text[tokens[at - 1].Start] == '=';
    }

    /// <param name="length">tokens of the operator, <c>=</c> or <c>&lt;=&gt;</c></param>
    private static bool IsEqual(string text, SqlToken[] tokens, int at, out int length)
    {
        length = 0;
        while (at + length < tokens.Length && text[tokens[at + length].Start] is '=' or '<' or '>')
        {
            length++;
        }

        return length is 1 or 3 && text[tokens[at + (length / 2)].Start] == '=';
    }

    private static bool IsEmpty(string text, SqlToken[] tokens, int at) =>
        at < tokens.Length && tokens[at] is { Kind: SqlTokenKind.Text } token && text[token.Start..token.End] is "''" or "\"\"";

    private static bool Is(SqlToken[] tokens, int at, string word) =>
        at >= 0 && at < tokens.Length && tokens[at].Kind == SqlTokenKind.Name
        && tokens[at].Name.Equals(word, StringComparison.OrdinalIgnoreCase);

    /// <summary>True of <c>@n IS NULL</c>, <c>COALESCE(@n, ...)</c> and the like.</summary>
    private static bool KnowsNull(string text, SqlToken[] tokens, int at) =>
        Is(tokens, at + 1, "is")
        || (at > 1 && text[tokens[at - 1].Start] == '(' && NullFunctions.Any(function => Is(tokens, at - 2, function)));

    /// <summary>The most frequent form has a short equivalent; in others COALESCE makes NULL the empty string.</summary>
    private static string Better(string expression, string name)
    {
        SqlToken[] tokens = [.. SqlTokens.Of(expression)];
        if (tokens is [{ Kind: SqlTokenKind.Name }, _, { Kind: SqlTokenKind.Variable }, _, { Kind: SqlTokenKind.Text }, _, .., _, _, _]
            && Is(tokens, 0, "if") && IsCompared(expression, tokens, 2)
            && expression[tokens[5].Start] == ',' && expression[tokens[^3].Start] == ',' && tokens[^2].Kind == SqlTokenKind.Variable
            && SetFields.Names.Equals(tokens[^2].Name, name) && expression[tokens[^1].Start] == ')')
        {
            var value = expression[tokens[6].Start..tokens[^3].Start].Trim();
            if (SqlExpression.FindFault(value) is null)
            {
                return $"COALESCE(NULLIF(@{name},''),{value})";
            }
        }

        var better = new StringBuilder();
        var end = 0;
        foreach (var token in tokens.Where(token => token.Kind == SqlTokenKind.Variable && SetFields.Names.Equals(token.Name, name)))
        {
            better.Append(expression, end, token.Start - end).Append($"COALESCE(@{name},'')");
            end = token.End;
        }

        return better.Append(expression, end, expression.Length - end).ToString();
    }
}
