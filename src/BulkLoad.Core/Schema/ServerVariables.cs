using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Schema;

/// <summary>Variables that a server has, by name.</summary>
internal sealed class ServerVariables(IEnumerable<KeyValuePair<string, string>> values)
{
    public static readonly string[] OfTransactions =
    [
        "log_bin", "wsrep_on", "group_replication_group_name", .. TransactionLimit.Known.Select(limit => limit.Name),
    ];

    public static readonly string[] OfTopology =
    [
        "group_replication_single_primary_mode", "read_only", "super_read_only", "innodb_read_only", "aurora_version", "memsql_version",
    ];

    public static readonly string[] OfDoctor =
    [
        "server_uuid", "server_id", "max_allowed_packet", "local_infile", "read_only", "super_read_only", "innodb_read_only",
        "offline_mode", "sql_require_primary_key", "innodb_force_primary_key", "max_prepared_stmt_count",
        "innodb_flush_log_at_trx_commit", "sync_binlog", "binlog_format", .. OfTransactions,
    ];

    private readonly Dictionary<string, string> _values = new(values, StringComparer.OrdinalIgnoreCase);

    /// <summary>Null: the server has no such variable.</summary>
    public string? this[string name] => _values.GetValueOrDefault(name);

    /// <summary>Whether it is a node of a Galera cluster.</summary>
    public bool IsGalera => IsOn("wsrep_on");

    /// <summary>Whether it was set up for a group; whether it is a member at present is not known from variables.</summary>
    public bool IsOfGroup => this["group_replication_group_name"] is { Length: > 0 };

    public bool IsReadOnly => IsOn("read_only") || IsReadOnlyForAll;

    /// <summary>Whether no account may change anything.</summary>
    public bool IsReadOnlyForAll => IsOn("super_read_only") || IsOn("innodb_read_only");

    public static ServerVariables Read(TextResultSet rows) =>
        new(rows.Rows.Where(row => row.Length > 1).Select(row => KeyValuePair.Create(row[0] ?? "", row[1] ?? "")));

    public bool IsOn(string name) => this[name] is "ON" or "1";

    public bool IsOff(string name) => this[name] is "OFF" or "0";

    /// <summary>Null: there is no such variable, or it is no number.</summary>
    public long? Number(string name) =>
        long.TryParse(this[name], NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : null;
}
