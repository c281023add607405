using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Strategies;

/// <summary>
/// An UPDATE's answer: its text has the rows found, the rows changed and the warnings (MySQL manual, "mysql_info()"), while the count of
/// affected rows is that of the changed ones.
/// </summary>
internal static class UpdateAnswer
{
    /// <summary>Rows found and rows changed; null where the text does not say it.</summary>
    public static (long Matched, long Changed)? Read(Answer answer)
    {
        Span<long> numbers = stackalloc long[4];
        return answer.ReadNumbers(numbers) == 3 && numbers[1] <= numbers[0] ? (numbers[0], numbers[1]) : null;
    }
}
