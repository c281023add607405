using System.Security.Cryptography;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Seeding;

/// <summary>What a server says of a table without reading its rows. Two equal states tell that nobody has changed the table between
/// them.</summary>
internal sealed record TableState
{
    /// <summary>AUTO_INCREMENT; null: the table has none, or has not given an id yet.</summary>
    public string? NextId { get; init; }

    /// <summary>InnoDB's number of the table, which changes with a TRUNCATE; null: not told.</summary>
    public string? TableId { get; init; }

    /// <summary>InnoDB's count of changed rows; null: not told.</summary>
    public string? Modified { get; init; }

    /// <summary>UPDATE_TIME, in whole seconds; null: not told, or another change could have come in the same second.</summary>
    public string? Updated { get; init; }

    public required string Server { get; init; }

    /// <summary>Start of the server, in seconds since 1970.</summary>
    public required long Started { get; init; }

    public static TableState Unknown { get; } = new() { Server = "", Started = 0 };

    /// <summary>Whether it tells of every change.</summary>
    public bool IsFull => TableId is not null && Modified is not null && Updated is not null;

    /// <summary>The start of a server is computed from two clocks in whole seconds, so it may differ by 2.</summary>
    public bool IsOfSameRun(TableState other) => Server == other.Server && Math.Abs(Started - other.Started) <= 2;

    /// <summary>Whether the rows were changed between the two, as far as both tell.</summary>
    public bool TellsOfChange(TableState other) => Updated != other.Updated || HasOtherCounters(other);

    /// <summary>Whether InnoDB has counted changes between the two; false: one does not tell.</summary>
    public bool HasOtherCounters(TableState other) =>
        TableId is not null && other.TableId is not null && (TableId != other.TableId || Modified != other.Modified);

    /// <summary>Whether the two differ in nothing but the inaccuracy of clocks.</summary>
    public bool IsLike(TableState other) => this == other || (IsOfSameRun(other) && this == other with { Started = Started });

    /// <summary>A server that does not say the next id begins with 1.</summary>
    public bool HasSameNextId(TableState other) => (NextId ?? "1") == (other.NextId ?? "1");
}

/// <param name="Name">as the server spells it</param>
/// <param name="Type">such as <c>BASE TABLE</c></param>
/// <param name="Engine">null: a view</param>
/// <param name="IsSettled">whether a later change will have a later UPDATE_TIME</param>
internal sealed record TableSeen(string Name, string Type, string? Engine, TableState State, bool IsSettled)
{
    public bool IsUsers => Type is "BASE TABLE" or "SYSTEM VERSIONED" && !SeedSql.IsOwn(Name);

    /// <summary>The part of the state that is recorded: a later change must lead to another state. InnoDB's count of changed rows is not
    /// enough: it begins again with new statistics, which may be made within the second, and can be the same again.</summary>
    public TableState Lasting => IsSettled ? State : State with { Updated = null };
}

/// <summary>Reads the states of a database's tables.</summary>
/// <param name="session">set up by <see cref="CopySession"/></param>
internal sealed class TableWatch(IServerSession session, string database)
{
    private const string GeneratedColumn = "GENERATED ALWAYS AS";

    /// <summary>Tables whose checksum the program computes: MariaDB's checksum of a table with generated columns changes whenever the table
    /// is opened.</summary>
    private readonly Dictionary<string, (string Digest, TableFacts Facts)> _summed = [];

    private bool _isRefused;

    /// <summary>All tables and views, by name.</summary>
    public async Task<Dictionary<string, TableSeen>> LookAsync(CancellationToken cancellationToken)
    {
        var counters = await CountAsync(cancellationToken);
        var answers = await session.QueryAllAsync(
            [CatalogSql.Uptime, ResetSql.Clock(session.Server.IsMariaDb), ResetSql.Tables(database)], cancellationToken);
        var (server, now) = (answers[1].FirstRow[0] ?? "", Number(answers[1].FirstRow[1]));
        var started = answers[0].Rows is [[_, var uptime]] ? now - Number(uptime) : 0;
        return answers[2].Rows.Select(See).ToDictionary(table => table.Name);

        TableSeen See(string?[] row)
        {
            var (id, modified) = NameInInnoDb(row[0]!) is { } name ? counters.GetValueOrDefault(name) : default;
            var state =
                new TableState { NextId = row[3], TableId = id, Modified = modified, Updated = row[4], Server = server, Started = started };
            return new TableSeen(row[0]!, row[1]!, row[2], state, Seconds(row[4]) is not { } updated || updated < now);
        }
    }

    /// <summary>Checksums of tables whose definitions have been read; null: the table is gone.</summary>
    public async Task<Dictionary<string, string?>> SumAsync(IReadOnlyList<string> tables, CancellationToken cancellationToken)
    {
        string[] byServer = [.. tables.Where(table => !_summed.ContainsKey(table))];
        string[] byRows = [.. tables.Where(_summed.ContainsKey)];
        string[] questions = [.. byRows.Select(table => ExactSql.Sum(_summed[table].Facts)), .. byServer.Length == 0 ? []
            : new[] { ResetSql.Checksums(database, byServer) }];
        var answers = await session.QueryAllAsync(questions, cancellationToken);
        var sums = byRows.Zip(answers, (table, answer) => (table, answer.Scalar)).ToDictionary(pair => pair.table, pair => pair.Scalar);
        foreach (var (table, row) in byServer.Length == 0 ? [] : byServer.Zip(answers[^1].Rows))
        {
            sums[table] = row[1];
        }

        return sums;
    }

    /// <summary>Digests of the tables' definitions without AUTO_INCREMENT.</summary>
    public async Task<Dictionary<string, string>> DigestAsync(IReadOnlyList<string> tables, CancellationToken cancellationToken)
    {
        var digests = new Dictionary<string, string>();
        var answers = await session.QueryAllAsync([.. tables.Select(table => ResetSql.Definition(database, table))], cancellationToken);
        foreach (var (table, answer) in tables.Zip(answers))
        {
            var text = answer.FirstRow[1] ?? "";
            var digest = digests[table] = Digest(text);
            if (!session.Server.IsMariaDb || !text.Contains(GeneratedColumn, StringComparison.Ordinal))
            {
                _summed.Remove(table);
            }
            else if (!_summed.TryGetValue(table, out var known) || known.Digest != digest)
            {
                _summed[table] = (digest, await TableProbe.LookAsync(session, database, table, cancellationToken));
            }
        }

        return digests;
    }

    internal static string Digest(string definition) =>
        Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(CreateText.WithoutCounter(definition))));

    /// <summary>TABLE_ID and count of changed rows by InnoDB's names; empty: the account may not ask.</summary>
    private async Task<Dictionary<string, (string? Id, string? Modified)>> CountAsync(CancellationToken cancellationToken)
    {
        if (_isRefused || Encode(database) is not { } name)
        {
            return [];
        }

        try
        {
            var rows = (await session.QueryAsync(ResetSql.Counters(session.Server, $"{name}/"), cancellationToken)).Rows;

            // MariaDB walks over lists between which tables move, and may find one twice.
            return rows.Select(row => (Name: row[0]!, Counters: (row[1], row[2]))).Distinct().GroupBy(row => row.Name)
                .Where(group => group.Count() == 1).ToDictionary(group => group.Key, group => group.First().Counters);
        }
        catch (ServerException fault) when (fault.Code != 0 && session.IsUsable)
        {
            _isRefused = true;
            return [];
        }
    }

    private string? NameInInnoDb(string table) => Encode(table) is { } name ? $"{Encode(database)}/{name}" : null;

    /// <summary>A name as files have it (MySQL manual, "Mapping of Identifiers to File Names"); null: its letters may be written in several
    /// ways.</summary>
    internal static string? Encode(string name) => !Ascii.IsValid(name) ? null
        : string.Concat(name.Select(sign => char.IsAsciiLetterOrDigit(sign) || sign == '_' ? sign.ToString() : $"@{(int)sign:x4}"));

    private static long Number(string? text) => long.TryParse(text, CultureInfo.InvariantCulture, out var number) ? number : 0;

    /// <summary>UPDATE_TIME in seconds since 1970.</summary>
    private static long? Seconds(string? time) =>
        DateTime.TryParse(
            time, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal, out var moment)
            ? new DateTimeOffset(moment).ToUnixTimeSeconds()
            : null;
}

/// <summary>A copy of a table, and the state in which the two were equal.</summary>
internal sealed record CopyRecord
{
    /// <summary>A checksum of more rows takes too long to be asked for each time.</summary>
    public const long MaxRowsToSum = 20_000;

    public required string Name { get; init; }

    /// <summary>Null: the table was left out.</summary>
    public string? Copy { get; init; }

    /// <summary>When the copies were taken.</summary>
    public required string Taken { get; init; }

    /// <summary>Digest of the table's definition; empty: the copy is not complete.</summary>
    public string Definition { get; init; } = "";

    public long Rows { get; init; }

    /// <summary>Of the copy, and of the table when the two were equal.</summary>
    public string Checksum { get; init; } = "0";

    public required TableState State { get; init; }

    /// <param name="row">columns as in <see cref="CopyListSql.Read"/></param>
    public static CopyRecord Read(string?[] row) => new()
    {
        Name = row[0]!,
        Copy = row[1],
        Taken = row[2]!,
        Definition = row[3]!,
        Rows = long.Parse(row[4]!, CultureInfo.InvariantCulture),
        Checksum = row[5]!,
        State = new TableState
        {
            NextId = row[6],
            TableId = row[7],
            Modified = row[8],
            Updated = row[9],
            Server = row[10]!,
            Started = long.Parse(row[11]!, CultureInfo.InvariantCulture),
        },
    };

    /// <summary>The values of all columns behind the name.</summary>
    public string?[] Write() =>
    [
        Copy, Taken, Definition, Rows.ToString(CultureInfo.InvariantCulture), Checksum, State.NextId, State.TableId, State.Modified,
            State.Updated, State.Server,
        State.Started.ToString(CultureInfo.InvariantCulture),
    ];

    public bool NeedsChecksum(TableState now) => Rows <= MaxRowsToSum || !IsTold(now);

    /// <summary>Whether the table differs from its copy, or may differ. A checksum alone does not tell of every change: it is the same
    /// where a text has moved from one column to the next. So a table of another state is compared too.</summary>
    /// <param name="checksum">of its rows; null: not asked for</param>
    public bool IsTouched(TableState now, string? checksum) => !State.HasSameNextId(now)
        || (checksum is not null && checksum != Checksum)
        || (now.Updated is not null && (IsSummedInTheSameSecond(now) ? State.HasOtherCounters(now) : State.TellsOfChange(now)));

    /// <summary>Whether a change in the second of the last reset is looked for by checksum and counters alone, since comparing all rows of
    /// a large table takes too long. Only a change is missed that leaves the checksum the same, and changes as many rows as were counted
    /// before InnoDB made new statistics.</summary>
    private bool IsSummedInTheSameSecond(TableState now) =>
        Rows > MaxRowsToSum && State is { Updated: null, TableId: not null, Modified: not null } && now.IsFull && State.IsOfSameRun(now);

    private bool IsTold(TableState now) => State.IsFull && now.IsFull && State.IsOfSameRun(now);
}

/// <summary>Where the copies of a database's tables are.</summary>
/// <param name="Schema">that has them: one of its own, or the database itself</param>
internal sealed record CopyPlace(string Database, string Schema)
{
    private const string Prefix = $"{SeedSql.OwnPrefix}seed_";

    public CopyListSql List { get; } = new(Schema);

    private bool IsDatabase => Schema == Database;

    public static string DefaultSchema(string database) => $"{database}_bulkload";

    public static bool IsName(string schema) => schema.Length is > 0 and <= SqlName.MaxCharacters;

    /// <summary>For people.</summary>
    public string Describe() => IsDatabase ? $"tables {Prefix}* of {Database}" : $"schema {Schema}";

    public string NameOf(string table) => SqlName.Fit(IsDatabase ? $"{Prefix}{table}" : table);

    /// <summary>By the table's name; empty: there is no list.</summary>
    public async Task<Dictionary<string, CopyRecord>> ReadAsync(IServerSession session, CancellationToken cancellationToken)
    {
        try
        {
            return (await session.QueryAsync(List.Read(Database), cancellationToken)).Rows.Select(CopyRecord.Read)
                .ToDictionary(record => record.Name);
        }
        catch (ServerException fault) when (
            fault.Error is ServerError.NoSuchTable or ServerError.BadDb or ServerError.DbAccessDenied or ServerError.TableAccessDenied)
        {
            return [];
        }
    }
}

internal static class CopySession
{
    /// <summary>Sets up a session, whatever it was used for before.</summary>
    /// <param name="session">usable, without an open transaction</param>
    /// <param name="more">further settings</param>
    /// <exception cref="PlanException">the server does not keep a setting that the copies need</exception>
    public static async Task SetUpAsync(IServerSession session, CancellationToken cancellationToken, params string[] more)
    {
        session.Bound(AnswerBound.LookUp);
        var isMariaDb = session.Server.IsMariaDb;
        var answers = await session.QueryAllAsync(
            [CatalogSql.Galera, .. SessionSql.Profile(isMariaDb, takesZeroDates: true, "+00:00"), .. ResetSql.Settings(isMariaDb), .. more,
                ResetSql.ReadBack], cancellationToken);
        if (answers[^1].FirstRow is not ["0", "0", "+00:00", "utf8mb4"])
        {
            throw new PlanException($"the server does not keep the session's settings ({string.Join(", ", answers[^1].FirstRow)}): is "
                + $"there a proxy in between?");
        }

        if (answers[0].Rows is [[_, "ON"]])
        {
            await session.ExecuteAsync(SessionSql.WaitForCluster, cancellationToken);
        }

        session.Bound(AnswerBound.Statement);
    }
}
