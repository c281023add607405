namespace BulkLoad.Core.Schema;

internal static class TriggerText
{
    private static readonly string[] Refusing = ["signal", "resignal", "call", "kill", "return"];

    /// <summary>Whether it may change a row's values, or refuse the row. One that only writes into other tables does neither, as long as
    /// they take what it writes.</summary>
    /// <param name="timing">BEFORE or AFTER</param>
    /// <param name="body">null or empty: the account may not read it</param>
    public static bool MayChangeRecords(string timing, string? body)
    {
        if (body is not { Length: > 0 })
        {
            return true;
        }

        var words = SqlTokens.Of(body).Where(token => token.Kind == SqlTokenKind.Name)
            .Select(token => token.Name.ToLowerInvariant()).ToHashSet();
        return words.Overlaps(Refusing) || (timing == "BEFORE" && words.Contains("new")) || SqlCalls.FindStored(body) is not null;
    }
}
