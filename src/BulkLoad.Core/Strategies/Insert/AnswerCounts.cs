using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Strategies.Insert;

/// <summary>
/// From an INSERT's answer to records. ON DUPLICATE KEY UPDATE counts 1 for a new row and 2 for a changed one (MySQL manual,
/// "INSERT ... ON DUPLICATE KEY UPDATE Statement"; the session has no CLIENT_FOUND_ROWS), and its text has the changed ones as
/// duplicates. A statement of one row has no text.
/// </summary>
internal static class AnswerCounts
{
    /// <summary>What became of the rows; null where the numbers do not say it, or not of all.</summary>
    /// <param name="form">of the statement; <see cref="DuplicateForm.ReplaceAlone"/> stands for its REPLACE</param>
    /// <param name="answer">to the statement</param>
    /// <param name="rows">that it carried</param>
    public static RowCounts? Read(DuplicateForm form, OkResult answer, int rows)
    {
        switch (form)
        {
            case DuplicateForm.Plain or DuplicateForm.SkipAlone:
                return answer.AffectedRows == (ulong)rows ? new RowCounts(rows) : null;
            case DuplicateForm.ReplaceAlone:
                // One more for each row that went, except where it was the same.
                return rows == 1 && answer.AffectedRows > 0 ? new RowCounts(0, Updated: 1) : null;
        }

        if (FindChanged(answer, rows) is not { } changed)
        {
            return null;
        }

        var inserted = (long)answer.AffectedRows - (2 * changed);
        var same = rows - inserted - changed;
        if (inserted < 0 || same < 0)
        {
            return null;
        }

        return form switch
        {
            DuplicateForm.SetColumns => new RowCounts(inserted, changed, same),

            // What REPLACE would have done: it does not look whether the row is the same.
            DuplicateForm.SetRow => new RowCounts(inserted, changed + same),
            _ => changed == 0 ? new RowCounts(inserted, Ignored: same) : null,
        };
    }

    private static long? FindChanged(OkResult answer, int rows)
    {
        if (rows == 1)
        {
            return answer.AffectedRows switch { 0 or 1 => 0, 2 => 1, _ => null };
        }

        // Records, duplicates, warnings, and nothing else.
        Span<long> numbers = stackalloc long[4];
        return answer.ReadNumbers(numbers) == 3 && numbers[0] == rows ? numbers[1] : null;
    }
}
