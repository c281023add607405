using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>
/// An UPDATE's answer: its text has the rows found, the rows changed and the warnings (MySQL manual, "mysql_info()"), while the count of
/// affected rows is that of the changed ones.
/// </summary>
internal static class UpdateAnswer
{
    /// <summary>What became of records with a row each.</summary>
    /// <param name="matched">rows found</param>
    /// <param name="changed">of these, those that are others now</param>
    /// <param name="tellsChanges">whether they are told apart; else all found ones count as updated</param>
    public static RowCounts Count(long matched, long changed, bool tellsChanges) => tellsChanges
        ? new RowCounts(0, changed, matched - changed) { MatchedRows = matched, ChangedRows = changed }
        : new RowCounts(0, matched) { MatchedRows = matched };

    /// <summary>What became of a statement's records with a row each; null where the answer cannot be that of such a statement.</summary>
    /// <param name="answer">of one UPDATE</param>
    /// <param name="rows">records that were sent</param>
    /// <param name="tellsChanges">as above</param>
    public static RowCounts? Count(OkResult answer, int rows, bool tellsChanges) =>
        answer.Warnings > 0 || Read(answer) is not (var matched, var changed) || matched > rows ? null : Count(matched, changed, tellsChanges);

    /// <summary>Rows found and rows changed; null where the text does not say it.</summary>
    public static (long Matched, long Changed)? Read(OkResult answer)
    {
        Span<long> numbers = stackalloc long[4];
        return answer.ReadNumbers(numbers) == 3 && numbers[1] <= numbers[0] ? (numbers[0], numbers[1]) : null;
    }
}
