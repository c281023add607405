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

        if (facts.Server.RelaxedDurability is { Count: > 0 } settings)
        {
            yield return $"{string.Join(", ", settings)}: the server may lose what it has committed last when its machine fails"
                + (facts.Request.KeepsLedger ? "; the job notices that as long as it runs, and sends it again, but not afterwards" : "");
        }

        if (facts.Request.NoLedger && facts.Table.IsTransactional)
        {
            yield return "--no-ledger: where the connection is lost, and then another server answers or one that was started again, the job ends with exit 1, since nobody can tell what it still has";
        }
    }
}
