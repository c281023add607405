using BulkLoad.Core.Facts;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Diagnosis;

/// <summary>The planner's verdicts, and what would change those that are unfit. Pure.</summary>
internal static class StrategyOutlooks
{
    /// <summary>What MySQL has by default, which is enough for every strategy.</summary>
    private const string UsualPacket = "67108864", UsualStatements = "16382";

    /// <summary>Lets the planner decide, as for an import, update or delete of a long file whose fields are the table's columns.</summary>
    /// <exception cref="PlanException">no strategy is fit</exception>
    public static IReadOnlyList<StrategyOutlook> Of(LoadFacts facts, ServerVariables variables, string account)
    {
        var plan = LoadPlanner.Decide(facts).Plan;
        return
        [
            .. plan.Verdicts.Select(verdict => new StrategyOutlook(
                plan.Command, verdict.Strategy, verdict.Strategy == plan.Strategy, verdict.IsFit, verdict.Reason,
                verdict.IsFit ? null : FindUnlock(verdict, facts, variables, account))),
        ];
    }

    /// <summary>What makes an unfit strategy fit; null: nothing that is known.</summary>
    private static string? FindUnlock(Verdict verdict, LoadFacts facts, ServerVariables variables, string account)
    {
        var server = facts.Server;
        if (verdict.Strategy == "load-data")
        {
            return verdict.Reason != server.LocalInfileRefusal ? verdict.Reason.Contains("max_allowed_packet", StringComparison.Ordinal)
                ? DoctorSql.SetGlobal("max_allowed_packet", UsualPacket) : null
                : variables.IsOff("local_infile") ? DoctorSql.SetGlobal("local_infile", "ON")
                : null;
        }

        if (facts.Key?.Stage?.Refusal is { } refusal && verdict.Reason.Contains(refusal, StringComparison.Ordinal))
        {
            return DoctorSql.Grant(DoctorSql.TemporaryTables, facts.Table.Database, null, account);
        }

        return server.MaxPreparedStatements == 0 && verdict.Reason.Contains("max_prepared_stmt_count", StringComparison.Ordinal)
            ? DoctorSql.SetGlobal("max_prepared_stmt_count", UsualStatements)
            : server.LogsStatements && verdict.Reason.Contains("binary log by statement", StringComparison.Ordinal)
                ? DoctorSql.SetGlobal("binlog_format", "ROW")
            : verdict.Reason.Contains("--counts matched", StringComparison.Ordinal) ? "bulkload update --counts matched"
            : null;
    }
}
