namespace BulkLoad.Core.Schema;

/// <summary>A variable that limits what one transaction can have, in <see cref="Unit"/>s: <c>bytes</c> or <c>rows</c>.</summary>
/// <param name="Fault">the error of a transaction that has more</param>
/// <param name="IsInForce">whether the variable means anything on such a server</param>
internal sealed record KnownLimit(string Name, string Unit, ServerError Fault, Func<ServerVariables, bool> IsInForce);

/// <param name="Most">at least 1</param>
internal sealed record TransactionLimit(KnownLimit Of, long Most)
{
    /// <summary>No variable of TiDB, but a line of its configuration.</summary>
    public static readonly KnownLimit OfTiDb = new("txn-total-size-limit", "bytes", ServerError.TransactionTooLarge, _ => false);

    public static readonly IReadOnlyList<KnownLimit> Known =
    [
        new("group_replication_transaction_size_limit", "bytes", ServerError.RunHookError, server => server.IsOfGroup),
        new("wsrep_max_ws_size", "bytes", ServerError.UnknownError, server => server.IsGalera),
        new("wsrep_max_ws_rows", "rows", ServerError.ErrorDuringCommit, server => server.IsGalera),
        new("max_binlog_cache_size", "bytes", ServerError.TransactionCacheFull, server => server.IsOn("log_bin") || server.IsGalera),
        OfTiDb,
    ];

    /// <summary>The most bytes of input that a chunk should have, for another reason than the limit; null: there is none.</summary>
    public long? ChunkBytes { get; init; }

    public bool IsOfRows => Of.Unit == "rows";

    /// <summary>For people.</summary>
    public string Text => $"{Of.Name} is {Most:N0} {Of.Unit}";

    /// <summary>Without those that are 0 or beyond any number, which limit nothing.</summary>
    public static IReadOnlyList<TransactionLimit> In(ServerVariables server) =>
    [
        .. Known.Where(known => known.IsInForce(server) && server.Number(known.Name) is > 0)
            .Select(known => new TransactionLimit(known, server.Number(known.Name)!.Value)),
    ];

    /// <summary>What has refused a transaction, for people.</summary>
    public static string Describe(ServerError fault, IReadOnlyList<TransactionLimit> limits) =>
        limits.FirstOrDefault(limit => limit.Of.Fault == fault)?.Text
            ?? Known.FirstOrDefault(known => known.Fault == fault)?.Name ?? "a limit of the server's";
}
