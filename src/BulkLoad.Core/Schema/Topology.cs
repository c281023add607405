using System.Text.Json.Serialization;

namespace BulkLoad.Core.Schema;

/// <summary>What a server is a part of, or what is in front of it.</summary>
/// <param name="Kind">stable kebab-case word, such as <c>galera</c></param>
/// <param name="Text">for people, such as <c>Galera node 1 of 3 (Synced)</c></param>
internal sealed record Topology(string Kind, string Text)
{
    /// <summary>From 1; null: not known, as everything here.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public int? Member { get; init; }

    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public int? Members { get; init; }

    /// <summary>As the server writes it.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? State { get; init; }

    /// <summary>Host and port of the server that takes changes in place of this one.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Primary { get; init; }

    /// <summary>Of a server that is neither MySQL nor MariaDB, and says it in its greeting.</summary>
    [JsonIgnore]
    public Version? Version { get; init; }

    /// <summary>Whether another server takes changes in place of this one.</summary>
    [JsonIgnore]
    public bool IsSecondary { get; init; }

    /// <summary>Whether no account may change anything here.</summary>
    [JsonIgnore]
    public bool IsReadOnlyForAll { get; init; }

    private const string Untested = "by its documentation; not tested";

    /// <summary>Servers that speak the protocol, by what their greeting says.</summary>
    private static readonly (string Mark, string Kind, string Name)[] Speakers =
        [("-TiDB-", SpeakerRules.TiDb, "TiDB"), ("Vitess", SpeakerRules.Vitess, "vtgate")];

    /// <summary>Null: nothing shows that it is neither MySQL nor MariaDB.</summary>
    public static Topology? OfSpeaker(string version, ServerVariables variables) =>
        OfGreeting(version) is { } speaker ? speaker
            : variables["memsql_version"] is { } single ? new Topology("singlestore", $"SingleStore {single} ({Untested})")
            : variables["aurora_version"] is { } aurora ? new Topology("aurora", $"Aurora {aurora} ({Untested})")
            {
                IsReadOnlyForAll = variables.IsReadOnlyForAll,
            }
            : null;

    /// <summary>Null: the greeting is that of MySQL or MariaDB, or of one that says nothing.</summary>
    public static Topology? OfGreeting(string version)
    {
        foreach (var (mark, kind, name) in Speakers)
        {
            if (version.IndexOf(mark, StringComparison.OrdinalIgnoreCase) is >= 0 and var at)
            {
                var own = VersionIn(version[(at + mark.Length)..]);
                return new Topology(kind, $"{name}{(own.Length == 0 ? "" : $" {own}")} ({Untested})")
                {
                    Version = Version.TryParse(own, out var parsed) ? parsed : null,
                };
            }
        }

        return null;
    }

    /// <param name="members">a row each, in one order on all of them: id, host, port, state, role; null: the account may not see
    /// them</param>
    /// <param name="own">the server's id</param>
    /// <returns>null: it is not a member at present</returns>
    public static Topology? OfGroup(IReadOnlyList<string?[]>? members, string? own, ServerVariables variables)
    {
        var name = $"Group Replication, {(variables.IsOff("group_replication_single_primary_mode") ? "multi" : "single")}-primary";
        if (members is null)
        {
            return new Topology("group-replication", variables.IsReadOnlyForAll
                ? $"{name}, a member that takes no changes (this account may not see which one does)" : name)
            {
                IsSecondary = variables.IsReadOnlyForAll,
                IsReadOnlyForAll = variables.IsReadOnlyForAll,
            };
        }

        var place = members.ToList().FindIndex(member => member[0] == own);
        if (place < 0 || members[place][3] == "OFFLINE")
        {
            return null;
        }

        var (state, role) = (members[place][3]!, members[place][4]);
        var shown = state == "ONLINE" && role is { Length: > 0 } ? role : state;
        var primary = members.FirstOrDefault(member => member is [_, _, _, "ONLINE", "PRIMARY"]);
        return new Topology("group-replication", $"{name}, member {place + 1} of {members.Count} ({shown})")
        {
            Member = place + 1,
            Members = members.Count,
            State = shown,
            Primary = shown == "PRIMARY" || primary is null ? null : $"{primary[1]}:{primary[2]}",
            IsSecondary = shown != "PRIMARY" && primary is not null,
            IsReadOnlyForAll = variables.IsReadOnlyForAll,
        };
    }

    /// <param name="status">the server's status variables that begin with <c>wsrep_</c></param>
    /// <returns>null: it has no cluster</returns>
    public static Topology? OfGalera(ServerVariables status)
    {
        if (status.Number("wsrep_cluster_size") is not (> 0 and var size))
        {
            return null;
        }

        var state = status["wsrep_local_state_comment"] ?? "state not known";
        state = status["wsrep_cluster_status"] is { } part and not "Primary" ? $"{state}, {part}" : state;
        var place = status.Number("wsrep_local_index") is { } index && index < size ? (int)index + 1 : (int?)null;
        return new Topology("galera", $"Galera node {(place is null ? "" : $"{place} ")}of {size} ({state})")
        {
            Member = place,
            Members = (int)size,
            State = state,
        };
    }

    /// <summary>An asynchronous replica that takes no changes.</summary>
    /// <param name="source">host and port</param>
    /// <param name="isRunning">whether it replicates at present; else it may be about to become the primary</param>
    public static Topology OfReplica(string source, bool isRunning, ServerVariables variables) =>
        new("replica", $"replica of {source} (read-only{(isRunning ? "" : ", does not replicate at present")})")
        {
            Primary = isRunning ? source : null,
            IsSecondary = isRunning,
            IsReadOnlyForAll = isRunning && variables.IsReadOnlyForAll,
        };

    public static Topology? OfPrimary(int replicas) =>
        replicas == 0 ? null : new Topology("primary", $"primary with {Plural.Count(replicas, "replica")}") { Members = replicas + 1 };

    /// <summary>With the router in between that the greeting names, if there is one.</summary>
    /// <param name="behind">null: nothing is known of it</param>
    public static Topology? Through(string version, Topology? behind)
    {
        const string Router = "MySQL Router";
        return !version.Contains("-router", StringComparison.OrdinalIgnoreCase) ? behind
            : behind is null ? new Topology("mysql-router", Router) : behind with { Text = $"{Router}; {behind.Text}" };
    }

    /// <param name="head">what the server is a part of that has the table; null: nothing is known of it</param>
    /// <param name="shards">servers with rows of the table</param>
    public static Topology OfSpider(Topology? head, int shards)
    {
        var text = $"Spider, {Plural.Count(shards, "shard")}";
        return head is null ? new Topology("spider", text) : head with { Text = $"{head.Text}; {text}" };
    }

    private static string VersionIn(string rest)
    {
        var text = rest.TrimStart('v', 'V');
        var length = text.TakeWhile(letter => char.IsAsciiDigit(letter) || letter == '.').Count();
        return text[..length].TrimEnd('.');
    }
}
