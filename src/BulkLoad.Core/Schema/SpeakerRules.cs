namespace BulkLoad.Core.Schema;

/// <summary>What servers that speak MySQL's protocol do in another way, by their documentation; nothing of it is tested on them. Pure.
/// <para>TiDB: "LOAD DATA" (in a transaction from 7.6 on), "SAVEPOINT" (from 6.2 on), "TiDB Configuration File"
/// (txn-total-size-limit). Vitess: "SHOW VITESS_SHARDS", "Distributed Transactions".</para></summary>
internal static class SpeakerRules
{
    public const string TiDb = "tidb", Vitess = "vitess";

    /// <summary>TiDB's default of txn-total-size-limit, which no statement tells.</summary>
    private const long UsualTransactionBytes = 100 * 1024 * 1024;

    /// <summary>TiDB keeps a transaction in memory, several times as large as its rows, until it commits.</summary>
    private const long ChunkBytes = 8 * 1024 * 1024;

    private static readonly Version FirstToLoadInTransactions = new(7, 6), FirstWithSavepoints = new(6, 2);

    /// <summary>Why LOAD DATA LOCAL is no way in, for people; null: it is one.</summary>
    public static string? FindLoadObstacle(Topology? server) =>
        server is { Kind: TiDb } && !(server.Version >= FirstToLoadInTransactions)
            ? "TiDB before 7.6 commits what LOAD DATA loads in pieces of its own" : null;

    /// <param name="version">as the greeting has it</param>
    public static bool HasSavepoints(string version) =>
        Topology.OfGreeting(version) is not { Kind: TiDb } server || server.Version >= FirstWithSavepoints;

    public static IEnumerable<TransactionLimit> Limits(Topology? server) => server is not { Kind: TiDb } ? [] :
    [
        new TransactionLimit(TransactionLimit.OfTiDb, UsualTransactionBytes) { ChunkBytes = ChunkBytes },
    ];

    /// <summary>Why rows of a keyspace and the ledger cannot be in one transaction, for people; null: they can.</summary>
    /// <param name="shards">of the keyspace; null: vtgate does not say</param>
    public static string? FindLedgerObstacle(string keyspace, int? shards) => shards == 1 ? null
        : $"keyspace {keyspace} has {(shards is null ? "perhaps several" : $"{shards}")} shards, which commit by themselves: the ledger "
            + "could have what one of them has not (--no-ledger to do without)";
}
