using BulkLoad.Core.Facts;

namespace BulkLoad.Core.Planning;

/// <summary>What a plan says of commits that the server may lose.</summary>
internal static class DurabilityNotes
{
    public static IEnumerable<string> Of(LoadFacts facts)
    {
        if (facts.Request.SendsNothing || facts.Request.IsCheck)
        {
            yield break;
        }

        var bound = facts.Request.KeepsLedger ? "; the job notices that as long as it runs, and sends it again, but not afterwards" : "";
        if (facts.Server.RelaxedDurability is { Count: > 0 } settings)
        {
            yield return $"{string.Join(", ", settings)}: the server may lose what it has committed last when its machine fails{bound}";
        }

        if (facts.Server.Replicas is > 0 and var replicas)
        {
            yield return $"{replicas} {Plural.For(replicas, "replica copies", "replicas copy")} from this server: "
                + $"one that takes over may lack what was committed last{bound}";
        }

        if (facts.Request.NoLedger && facts.Table.IsTransactional)
        {
            yield return "--no-ledger: if the connection is lost, and then another or a restarted server answers, the job ends with exit 1, since it is not known what that server still has";
        }
    }
}
