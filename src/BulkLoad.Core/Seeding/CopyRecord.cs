using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Seeding;

/// <summary>A copy of a table, and the state in which the table was the same.</summary>
internal sealed record CopyRecord
{
    /// <summary>Rows of a table whose checksum is asked for each time; of a larger one it takes too long.</summary>
    public const long MostRowsToSum = 20_000;

    /// <summary>The table.</summary>
    public required string Name { get; init; }

    /// <summary>Its copy; null: the table was left out.</summary>
    public string? Copy { get; init; }

    /// <summary>When the copies were taken.</summary>
    public required string Taken { get; init; }

    /// <summary>Digest of the table's definition; empty: the copy is not complete.</summary>
    public string Definition { get; init; } = "";

    public long Rows { get; init; }

    /// <summary>Of the copy, and of the table when it was the same.</summary>
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

    /// <summary>Whether the table's checksum is needed to know whether it was touched.</summary>
    public bool NeedsChecksum(TableState now) => Rows <= MostRowsToSum || !IsTold(now);

    /// <summary>Whether the table is not what it was, or may not be.</summary>
    /// <param name="now">its state</param>
    /// <param name="checksum">of its rows; null: not asked for</param>
    /// <remarks>
    /// A checksum alone does not tell of every change: it is the same where a text has moved from one column to the next. So the state is
    /// regarded too, as far as it is
    /// told, and a table of another state is compared.
    /// </remarks>
    public bool IsTouched(TableState now, string? checksum) => !State.HasSameNextId(now)
        || (checksum is not null && checksum != Checksum)
        || (now.Updated is not null && (IsSummedInTheSameSecond(now) ? State.HasOtherCounters(now) : State.TellsOfChange(now)));

    /// <summary>
    /// Whether a change in the second of the last reset is looked for by checksum and counters alone, since comparing all rows of a large
    /// table would take too long. Not found
    /// is one only that leaves the checksum the same, and changes as many rows as were counted before InnoDB made new statistics.
    /// </summary>
    private bool IsSummedInTheSameSecond(TableState now) =>
        Rows > MostRowsToSum && State is { Updated: null, TableId: not null, Modified: not null } && now.IsFull && State.IsOfSameRun(now);

    /// <summary>Whether the two states alone tell of every change.</summary>
    private bool IsTold(TableState now) => State.IsFull && now.IsFull && State.IsOfSameRun(now);
}

/// <summary>Where the copies of a database's tables are.</summary>
/// <param name="Database">whose tables they are copies of</param>
/// <param name="Schema">that has them: one of its own, or the database itself</param>
internal sealed record CopyPlace(string Database, string Schema)
{
    private const string Prefix = $"{SeedSql.OwnPrefix}seed_";

    public CopyListSql List { get; } = new(Schema);

    private bool IsDatabase => Schema == Database;

    /// <summary>The schema where nobody names another one.</summary>
    public static string DefaultSchema(string database) => $"{database}_bulkload";

    /// <summary>Whether a schema can have that name.</summary>
    public static bool IsName(string schema) => schema.Length is > 0 and <= SqlName.MostCharacters;

    /// <summary>For people.</summary>
    public string Describe() => IsDatabase ? $"tables {Prefix}* of {Database}" : $"schema {Schema}";

    /// <summary>The name of a table's copy.</summary>
    public string NameOf(string table) => SqlName.Fit(IsDatabase ? $"{Prefix}{table}" : table);

    /// <summary>The list of copies by the table's name; none where there is no list.</summary>
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

/// <summary>A session that takes copies or puts tables back.</summary>
internal static class CopySession
{
    /// <summary>Sets it up, whatever it was before.</summary>
    /// <param name="session">usable, with nothing open</param>
    /// <param name="more">settings beside those that both need</param>
    /// <exception cref="PlanException">the server does not keep a setting that all rests on</exception>
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
