using BulkLoad.Core.Facts;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Jobs;

/// <summary>From what was verified of an import's rows to its report.</summary>
internal static class VerificationReports
{
    /// <summary>What to say of rows that are committed without one of them verified; null: one was, there are none, or nobody
    /// asked.</summary>
    public static string? WhyNone(VerifyRules? rules, RowCounts committed) =>
        rules is null || committed.Verified(rules.Mode) > 0 || committed.Inserted + committed.Updated == 0 ? null
        : $"--verify {VerifyWords.Of(rules.Mode)} could verify no row: "
            + $"{rules.Unverifiable ?? "the server made the keys or values of all of them"}";

    /// <param name="failure">that ended the job; null: none did</param>
    /// <returns>null: nobody asked</returns>
    public static VerificationReport? Of(LoadFacts facts, BulkLoadException? failure, RowCounts committed, long unverifiedBefore)
    {
        if (facts.Verify is not { } rules)
        {
            return null;
        }

        var (rows, inserted) = (committed.Verified(rules.Mode), committed.Inserted);
        var result = failure is ReconciliationException { IsOfContent: true } ? VerifyResult.Different
            : rules.Unverifiable is not null || (rows == 0 && inserted > 0) ? VerifyResult.Unverifiable
            : rows < inserted ? VerifyResult.Partial
            : VerifyResult.Equal;
        return new VerificationReport(rules.Mode, result, rows)
        {
            EarlierRows = unverifiedBefore,
            UndecidedRows = inserted - rows - unverifiedBefore,
            Reason = rules.Unverifiable,
        };
    }
}
