using BulkLoad.Core.Protocol;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Diagnosis;

/// <summary>Whether an account has a right.</summary>
internal enum RightState
{
    Held,
    Missing,

    /// <summary>The server's answer does not say.</summary>
    Unknown,
}

/// <param name="Right">as GRANT writes it</param>
/// <param name="Answer">the server's words where it is not held; empty where it is</param>
internal sealed record ProbedRight(string Right, RightState State, string Answer);

/// <summary>
/// Tries what an account may do, and changes nothing: roles, patterns and revoked parts of grants are the server's to work out. Statements
/// that change rows
/// are prepared and not run; others can only fail, and how they fail tells.
/// </summary>
internal sealed class RightProbe(IServerSession session, string database)
{
    /// <summary>No table of this name exists.</summary>
    private readonly string _nowhere = $"bulkload_none_{Guid.NewGuid():N}";

    /// <summary>What the server said when it took no change at all; null: it did not say so.</summary>
    public string? ReadOnlyRefusal { get; private set; }

    /// <summary>The rights on rows: of all tables of the database, or of one.</summary>
    /// <param name="table">null: all</param>
    /// <param name="columns">of the table that the account sees and an INSERT without names fills</param>
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

    /// <summary>The right to make a table of that name.</summary>
    public Task<ProbedRight> MayCreateAsync(string table, CancellationToken cancellationToken) =>
        TryAsync("CREATE", DoctorSql.Create(database, table, isTemporary: false), cancellationToken);

    private async Task<ProbedRight> TryAsync(string right, string statement, CancellationToken cancellationToken)
    {
        try
        {
            await session.ExecuteAsync(statement, cancellationToken);
            throw new InvalidOperationException("a statement that cannot succeed has succeeded");
        }
        catch (ServerException fault) when (session.IsUsable)
        {
            ReadOnlyRefusal ??= fault.IsReadOnly ? fault.Message : null;
            return Read(right, fault);
        }
    }

    private static ProbedRight Read(string right, ServerException? refusal) =>
        refusal is null || IsAboutContent(refusal) ? new ProbedRight(right, RightState.Held, "")
        // There are columns that the account does not see, so it has the right on some at most.
        : refusal.IsAccessDenied || refusal.Error == ServerError.WrongValueCountOnRow || refusal.Error == ServerError.SpecificAccessDenied
            ? new ProbedRight(right, RightState.Missing, refusal.ServerText)
        : new ProbedRight(right, RightState.Unknown, refusal.Message);

    /// <summary>Whether the server looked at the statement itself, which it does only for those who may run it.</summary>
    private static bool IsAboutContent(ServerException refusal) =>
        refusal.Error is ServerError.NoSuchTable or ServerError.BadTable or ServerError.BadField
        or ServerError.DupFieldName or ServerError.CantDropFieldOrKey or ServerError.NoDefaultForField;
}
