using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Diagnosis;

/// <summary>The rights of an account, as findings. Pure.</summary>
internal static class RightFindings
{
    public const string Rights = "rights", Ledger = "ledger";

    /// <summary>The use of each right, in the order in which rights are shown.</summary>
    private static readonly (string Right, string Needs)[] Uses =
    [
        ("SELECT", "update, delete, verify, the ledger"),
        ("INSERT", "import, seed, the ledger"),
        ("UPDATE", "update, --on-duplicate, the ledger"),
        ("DELETE", "delete, --truncate, the ledger"),
        ("CREATE", "--create, seed --schema, a new ledger"),
        (DoctorSql.TemporaryTables, "the strategy staged-join"),
        ("ALTER", "--rebuild-indexes"),
        ("DROP", "tables that a failed --create leaves, seed --serve"),
    ];

    /// <param name="insertable">number of tables that the account sees, and of those that it may insert into; asked where INSERT is
    /// missing</param>
    public static IEnumerable<Finding> OfDatabase(
        string database, string account, IReadOnlyList<ProbedRight> rights, (long Seen, long Insertable) insertable)
    {
        foreach (var right in rights)
        {
            var grant = SqlGrant.Of(right.Right, database, null, account);
            yield return right is not { Right: "INSERT", State: RightState.Missing } ? Of(right, $"{database}.*", grant)
                : insertable.Insertable == 0
                ? new Finding(
                    Rights, "insert", FindingState.Problem,
                    $"missing on {database}.* and on each of the {Plural.Count(insertable.Seen, "table")} that this "
                        + $"account sees: nothing can be imported", grant)
                : new Finding(
                    Rights, "insert", FindingState.Note,
                    $"on {insertable.Insertable:N0} of the {Plural.Count(insertable.Seen, "table")} that this account "
                        + $"sees; --table NAME looks at one", grant);
        }
    }

    /// <param name="rights">on the table; those of the database's are on that</param>
    public static IEnumerable<Finding> OfTable(TableFacts table, string account, IReadOnlyList<ProbedRight> rights)
    {
        foreach (var right in rights)
        {
            var isOfDatabase = right.Right is "CREATE" or DoctorSql.TemporaryTables or "DROP";
            var grant = SqlGrant.Of(right.Right, table.Database, isOfDatabase ? null : table.Name, account);
            IReadOnlyList<TableColumn> columns = right.Right switch
            {
                "SELECT" => [.. table.Columns.Where(column => column.CanSelect)],
                "INSERT" => [.. table.Columns.Where(column => column.CanInsert)],
                "UPDATE" => [.. table.Columns.Where(column => column.CanUpdate)],
                _ => [],
            };
            if (right.State != RightState.Held && columns.Count > 0)
            {
                yield return new Finding(Rights, NameOf(right), FindingState.Note,
                    $"only on columns: {string.Join(", ", columns.Select(column => column.Name))} ({NeedsOf(right)})", grant);
            }
            else if (right is { Right: "INSERT", State: RightState.Missing })
            {
                yield return new Finding(
                    Rights, "insert", FindingState.Problem, $"missing on {table.DisplayName}: nothing can be imported", grant);
            }
            else
            {
                yield return Of(right, isOfDatabase ? $"{table.Database}.*" : table.DisplayName, grant);
            }
        }
    }

    /// <summary>The rights on the ledger, and whether it exists.</summary>
    /// <param name="exists">as far as the account can see</param>
    /// <param name="rights">on the ledger's table</param>
    /// <param name="create">on the schema</param>
    public static Finding OfLedger(string schema, string account, bool exists, IReadOnlyList<ProbedRight> rights, ProbedRight? create)
    {
        var name = $"{schema}.{LedgerSql.TableName}";
        var missing = rights.Where(right => right.State == RightState.Missing).Select(right => right.Right).ToList();
        if (!exists && create is { State: RightState.Missing })
        {
            missing.Add(create.Right);
        }

        var unknown = rights.Where(right => right.State == RightState.Unknown).Select(right => right.Right).ToList();
        var there = exists ? $"{name} is there" : $"{name}: none yet, the first job creates it";
        return missing.Count > 0
            ? new Finding(
                Ledger, "ledger-rights", FindingState.Problem,
                $"{name}: missing rights: {string.Join(", ", missing)}; a job without --no-ledger is refused",
                $"{SqlGrant.Of("SELECT, INSERT, UPDATE, DELETE, CREATE", schema, LedgerSql.TableName, account)}; or --ledger-schema "
                    + $"NAME, or --no-ledger")
            : unknown.Count > 0 ? new Finding(Ledger, "ledger-rights", FindingState.Note,
                $"{there}; it cannot be found out whether this account has {string.Join(", ", unknown)}")
            : new Finding(Ledger, "ledger-rights", FindingState.Ok, there);
    }

    private static Finding Of(ProbedRight right, string target, string grant) => right.State switch
    {
        RightState.Held => new Finding(Rights, NameOf(right), FindingState.Ok, NeedsOf(right)),
        RightState.Missing => new Finding(Rights, NameOf(right), FindingState.Note, $"missing on {target} ({NeedsOf(right)})", grant),
        _ => new Finding(Rights, NameOf(right), FindingState.Note, $"cannot be found out: {right.Answer}"),
    };

    private static string NameOf(ProbedRight right) =>
        right.Right == DoctorSql.TemporaryTables ? "temporary-tables" : right.Right.ToLowerInvariant();

    private static string NeedsOf(ProbedRight right) => $"for {Uses.First(use => use.Right == right.Right).Needs}";
}

internal enum RightState
{
    Held,
    Missing,

    /// <summary>The server's answer does not say.</summary>
    Unknown,
}

/// <param name="Right">as GRANT writes it</param>
/// <param name="Answer">the server's error if the right is missing; empty: it is held</param>
internal sealed record ProbedRight(string Right, RightState State, string Answer);

/// <summary>Tries what an account may do, and changes nothing. Only the server knows the effect of roles, patterns and revoked parts of
/// grants. Statements that change rows are prepared and not run. Others find nothing to do, or fail, and the error tells.</summary>
internal sealed class RightProbe(IServerSession session, string database)
{
    /// <summary>No table of this name exists.</summary>
    private readonly string _nowhere = $"bulkload_none_{Guid.NewGuid():N}";

    /// <summary>The server's error if it takes no change at all; null: it has not said so.</summary>
    public string? ReadOnlyRefusal { get; private set; }

    /// <summary>The rights on rows of all tables of the database, or of one.</summary>
    /// <param name="table">null: all</param>
    /// <param name="columns">number of the table's columns that the account sees and an INSERT without names fills</param>
    public async Task<IReadOnlyList<ProbedRight>> OfRowsAsync(string? table, int columns, CancellationToken cancellationToken)
    {
        var target = table ?? _nowhere;
        (string Right, string Statement)[] questions =
        [
            ("SELECT", DoctorSql.Select(database, target)), ("INSERT", DoctorSql.Insert(database, target, columns)),
            ("UPDATE", DoctorSql.Update(database, target)), ("DELETE", DoctorSql.Delete(database, target)),
        ];
        var rights = new List<ProbedRight>();
        foreach (var (right, statement) in questions)
        {
            try
            {
                rights.Add(Read(right, await StatementProbe.FindRefusalAsync(session, statement, cancellationToken)));
            }
            catch (ServerException fault) when (fault.Error == ServerError.MaxPreparedStmtCountReached)
            {
                rights.Add(new ProbedRight(right, RightState.Unknown, fault.ServerText));
            }
        }

        return rights;
    }

    /// <summary>The rights to make, alter and drop tables.</summary>
    /// <param name="table">whose indexes are meant; null: any table's of the database</param>
    public async Task<IReadOnlyList<ProbedRight>> OfTablesAsync(string? table, CancellationToken cancellationToken) =>
    [
        await TryAsync("CREATE", DoctorSql.Create(database, _nowhere, isTemporary: false), cancellationToken),
        await TryAsync(DoctorSql.TemporaryTables, DoctorSql.Create(database, _nowhere, isTemporary: true), cancellationToken),
        await TryAsync("ALTER", DoctorSql.Alter(database, table ?? _nowhere), cancellationToken),
        await TryAsync("DROP", DoctorSql.Drop(database, _nowhere), cancellationToken),
    ];

    public Task<ProbedRight> MayCreateAsync(string table, CancellationToken cancellationToken) =>
        TryAsync("CREATE", DoctorSql.Create(database, table, isTemporary: false), cancellationToken);

    private async Task<ProbedRight> TryAsync(string right, string statement, CancellationToken cancellationToken)
    {
        try
        {
            await session.ExecuteAsync(statement, cancellationToken);

            // Without the right the statement is refused at once. An engine such as Mroonga drops an object that does not exist without an
            // error.
            return new ProbedRight(right, RightState.Held, "");
        }
        catch (ServerException fault) when (session.IsUsable)
        {
            ReadOnlyRefusal ??= fault.IsReadOnly ? fault.Message : null;
            return Read(right, fault);
        }
    }

    private static ProbedRight Read(string right, ServerException? refusal) =>
        refusal is null || IsAboutContent(refusal) ? new ProbedRight(right, RightState.Held, "")
        // There are columns that the account does not see, so it has the right on some columns at most.
        : refusal.IsAccessDenied || refusal.Error == ServerError.WrongValueCountOnRow || refusal.Error == ServerError.SpecificAccessDenied
            ? new ProbedRight(right, RightState.Missing, refusal.ServerText)
        : new ProbedRight(right, RightState.Unknown, refusal.Message);

    /// <summary>Whether the server examined the statement itself, which it does only for accounts with the right.</summary>
    private static bool IsAboutContent(ServerException refusal) =>
        refusal.Error is ServerError.NoSuchTable or ServerError.BadTable or ServerError.BadField
        or ServerError.DupFieldName or ServerError.CantDropFieldOrKey or ServerError.NoDefaultForField;
}
