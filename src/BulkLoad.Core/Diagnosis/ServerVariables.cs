using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Diagnosis;

/// <summary>Global variables of a server, as far as it has them.</summary>
internal sealed class ServerVariables(IEnumerable<KeyValuePair<string, string>> values)
{
    /// <summary>All that a diagnosis looks at.</summary>
    public static readonly string[] Names =
    [
        "server_uuid", "server_id", "max_allowed_packet", "local_infile", "read_only", "super_read_only", "innodb_read_only",
        "offline_mode",
        "sql_require_primary_key", "innodb_force_primary_key", "max_prepared_stmt_count", "wsrep_on", "wsrep_max_ws_size",
        "wsrep_max_ws_rows",
        "group_replication_transaction_size_limit", "innodb_flush_log_at_trx_commit", "sync_binlog", "log_bin", "binlog_format",
    ];

    private readonly Dictionary<string, string> _values = new(values, StringComparer.OrdinalIgnoreCase);

    /// <summary>Null: the server has no such variable.</summary>
    public string? this[string name] => _values.GetValueOrDefault(name);

    public static ServerVariables Read(TextResultSet rows) => new(rows.Rows.Select(row => KeyValuePair.Create(row[0] ?? "", row[1] ?? "")));

    public bool IsOn(string name) => this[name] is "ON" or "1";

    public bool IsOff(string name) => this[name] is "OFF" or "0";

    /// <summary>Null: there is none, or it is no number.</summary>
    public long? Number(string name) =>
        long.TryParse(this[name], NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : null;
}
