namespace BulkLoad.Core.Ledger;

/// <summary>What an option decides of a job.</summary>
internal enum OptionRole
{
    /// <summary>How the work is done: it may be another one at each start.</summary>
    Way,

    /// <summary>What is stored, or which rows are meant: it must be the same at each start.</summary>
    Rule,

    /// <summary>Which job it is: table, command or mapping.</summary>
    Identity,
}

/// <summary>The only list of what each option of <c>import</c>, <c>update</c> and <c>delete</c> decides of a job. An option that is not in
/// it is a mistake, which a test finds.</summary>
internal static class OptionRoles
{
    private static readonly string[] Rules =
    [
        "--spec", "--format", "--delimiter", "--quote", "--escape", "--newline", "--comment", "--skip-lines", "--no-header", "--header",
        "--encoding",
        "--max-quoted-lines", "--dirt", "--ignore-unknown", "--null-value", "--empty", "--trim", "--round", "--zero-dates", "--time-zone",
        "--binary",
        "--date-format", "--datetime-format", "--time-format", "--decimal", "--thousands", "--currency", "--percent", "--true", "--false",
        "--where", "--ranges", "--type",
    ];

    private static readonly string[] Identities = ["--table", "--on-duplicate", "--columns", "--map", "--set", "--key", "--ids", "--job-id",
        "--create", "--primary-key"];

    private static readonly string[] Ways =
    [
        "--connection-url", "--host", "--port", "--user", "--password", "--socket", "--protocol", "--database", "--ssl-mode", "--ssl-ca",
        "--ssl-cert", "--ssl-key",
        "--get-server-public-key", "--server-public-key-path", "--enable-cleartext-plugin", "--connect-timeout", "--read-timeout",
        "--defaults-file", "--defaults-extra-file", "--defaults-group-suffix",
        "--login-path", "--no-defaults", "--compression", "--max-ratio", "--max-record-bytes", "--max-rejects", "--reject-file",
        "--repairs-file",
        "--add-columns", "--temp-dir", "--limit", "--preview", "--preview-file", "--no-sort", "--rebuild-indexes", "--verify", "--profile",
        "--strategy", "--threads", "--rows-per-batch", "--bytes-per-batch",
        "--rows-per-chunk", "--bytes-per-chunk", "--atomic", "--max-memory", "--append", "--truncate", "--allow-database", "--reload",
        "--no-ledger", "--ledger-schema",
        "--max-retries", "--retry-for", "--grace", "--max-rate", "--max-load", "--critical-load", "--max-lag", "--check-replica",
        "--throttle-query",
        "--pause-file", "--run-time", "--plan", "--plan-json", "--report", "--write-spec", "--overwrite", "--progress", "--quiet",
        "--annotate", "--events", "--junit", "--no-values", "--wait", "--verbose",
        "--log-file", "--log-format", "--ignore-missing", "--allow-multiple", "--allow-scan", "--expect", "--max-rows", "--counts", "--yes",
    ];

    /// <summary>By the option's name.</summary>
    public static IReadOnlyDictionary<string, OptionRole> All { get; } = Rules.Select(name => (name, OptionRole.Rule))
        .Concat(Identities.Select(name => (name, OptionRole.Identity)))
        .Concat(Ways.Select(name => (name, OptionRole.Way)))
        .ToDictionary(option => option.name, option => option.Item2, StringComparer.Ordinal);
}
