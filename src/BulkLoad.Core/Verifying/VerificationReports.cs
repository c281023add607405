using BulkLoad.Core.Planning;
using BulkLoad.Core.Running;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Verifying;

/// <summary>From what was verified of an import's rows to its report.</summary>
internal static class VerificationReports
{
    /// <summary>Of rows that are committed at least one must have been verified, where that was asked for.</summary>
    /// <param name="rules">null: nobody asked</param>
    /// <param name="committed">the rows</param>
    /// <param name="faults">say what stays</param>
    /// <exception cref="ReconciliationException">none was</exception>
    public static void RequireOne(VerifyRules? rules, TakenRows committed, RunFaults faults)
    {
        if (rules is not null && committed.Verified(rules.Mode) == 0 && committed.Inserted + committed.Updated > 0)
        {
            var reason = rules.Unverifiable ?? "the server made the keys or values of all of them";
            throw faults.Explain(new ReconciliationException($"--verify {VerifyWords.Of(rules.Mode)} could verify no row: {reason}"));
        }
    }

    /// <param name="facts">with rules, or none</param>
    /// <param name="failure">that ended the job; null: none did</param>
    /// <param name="committed">rows that are committed, and how many of them were verified</param>
    /// <param name="unverifiedBefore">rows that a former start has committed without</param>
    /// <returns>null: nobody asked</returns>
    public static VerificationReport? Of(LoadFacts facts, BulkLoadException? failure, TakenRows committed, long unverifiedBefore)
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
