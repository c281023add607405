using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies.Insert;

namespace BulkLoad.Core.Strategies.LoadData;

/// <summary>LOAD DATA LOCAL INFILE from our own stream. The server answers bad data by a warning, never by an error: so each statement has
/// a savepoint before it, and counts only if every row was taken without a warning.</summary>
internal sealed class LoadDataStrategy : ILoadStrategy
{
    private const long MaxBytes = 256 * 1024 * 1024;
    private const long MinPacket = 256 * 1024; // twice a packet of the content, which the protocol layer does not cut finer
    private const int MaxRows = 65_535;
    private const string RowsReason = "as many warnings as an answer can count";

    /// <summary>Cost of a binary column's byte, sent as digits through a variable: measured on MySQL, 300 to 100,000 bytes a row.</summary>
    private const double MicrosecondsPerDigits = 0.0067;

    private static readonly TunedSize BatchSize = new(
        "load-data", "bytes-per-batch", 2 * 1024 * 1024, [512 * 1024, 1024 * 1024, 4 * 1024 * 1024, 8 * 1024 * 1024], MaxBytes);

    public string Name => "load-data";

    public IReadOnlyList<TunedSize> TunedSizes { get; } = [BatchSize];

    public string? FindObstacle(LoadFacts facts)
    {
        if (facts.Request.KeepsIds)
        {
            return IdRules.OnlyByInserts;
        }

        if (facts.Request.OnDuplicate != DuplicateMode.Error && DuplicatePlan.Of(facts).Form != DuplicateForm.Plain)
        {
            return facts.Request.OnDuplicate switch
            {
                DuplicateMode.Ignore => "LOAD DATA skips bad records and broken foreign keys as it skips duplicates",
                DuplicateMode.Replace => "LOAD DATA counts rows where it replaces, not records",
                _ => "LOAD DATA cannot update rows",
            };
        }

        if ((NonTransactionalRules.FindLoadObstacle(facts) ?? ConversionRules.FindLoadObstacle(facts)
            ?? facts.Server.LocalInfileRefusal) is { } refusal)
        {
            return refusal;
        }

        if (facts.Server.MaxAllowedPacket < MinPacket)
        {
            return $"the server's max_allowed_packet of {facts.Server.MaxAllowedPacket:N0} is too small for the packets of a file's "
                + $"content (at least {MinPacket:N0})";
        }

        if (facts.DefaultedColumn is { } column)
        {
            var how = facts.RecordsCanLackColumns ? "a JSON object may lack" : "an empty field may mean the default of";
            return $"{how} '{column.Name}', whose default is an expression, and a LOAD DATA line has no word for DEFAULT";
        }

        return null;
    }

    public Assessment Assess(LoadFacts facts)
    {
        var bytes = BatchSize.Plan(facts.Request, "measured optimum: little to undo when a batch fails");

        // Only the first LOAD waits for the server's request: the next statement is there already when the one before is answered.
        return new Assessment(
            Describe(facts), new Cost(MicrosecondsPerRow(facts) + (BytesAsDigits(facts) * MicrosecondsPerDigits), 1, 2),
            (new SizeRange("rows-per-batch", MaxRows, RowsReason, MaxRows, RowsReason),
                new SizeRange(bytes.Name, bytes.Value, bytes.SetBy, MaxBytes, "most that is held in memory at once")));
    }

    private static string Describe(LoadFacts facts) => !facts.Table.IsTransactional
        ? NonTransactionalRules.FindTellingKey(facts) is { } key
            ? $"engine {facts.Table.Engine} cannot roll back: takes rows whose '{key.Name}' rises to where the table has none, "
                + "and leaves others to INSERT, which says at which it stopped"
            : $"engine {facts.Table.Engine} cannot roll back, and has nothing to refuse here"
        : facts.Server.IsMariaDb
        ? "LOAD DATA LOCAL works on this route; MariaDB takes prepared rows faster"
        : BytesAsDigits(facts) > 0 ? "LOAD DATA LOCAL works on this route, but takes bytes as digits"
        : "LOAD DATA LOCAL works on this route and is MySQL's fastest way in";

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
        [TransactionSql.Savepoint(0), Statement(facts, "bulkload-<random>")];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes)
    {
        var fileName = LoadDataText.NewFileName();
        var key = facts.Table.IsTransactional ? null : NonTransactionalRules.FindTellingKey(facts);
        var keys = key is null ? null : new NewKeys(session, facts.Table.Database, facts.Table.Name, key.Name, facts.IndexOf(key));
        return new LoadDataSender(
            session, facts.RowColumns, Statement(facts, fileName), fileName, facts.Table.IsTransactional, keys);
    }

    /// <summary>LOAD continues after a bad row and does not say which it was; INSERT stops there, and undoes less.</summary>
    public ILoadStrategy NarrowsBy(LoadFacts facts)
    {
        var insert = new MultiRowInsertStrategy();
        return insert.FindObstacle(facts) is null ? insert : this;
    }

    /// <summary>MyISAM was measured beside INSERTs of many rows: 0.73 of their time on MariaDB, 0.56 on MySQL.</summary>
    private static double MicrosecondsPerRow(LoadFacts facts) => (facts.Table.IsTransactional, facts.Server.IsMariaDb) switch
    {
        (true, true) => 2.75,
        (true, false) => 3.45,
        (false, true) => 1.7,
        (false, false) => 2.2,
    };

    /// <summary>Estimated bytes of a row that are sent as hexadecimal digits, as if all columns had the same length.</summary>
    private static double BytesAsDigits(LoadFacts facts) =>
        facts.RecordBytes * facts.Columns.Count(column => column.IsBinary) / Math.Max(1, facts.Columns.Count);

    private static string Statement(LoadFacts facts, string fileName) =>
        JobTag.Into(LoadDataSql.Local(fileName, facts.Table, facts.RowColumns, facts.Assignments), facts.Tag);
}

/// <summary>One LOAD DATA statement per batch, each after a savepoint that undoes it. If another batch follows at once, its savepoint and
/// statement are sent directly after the content, so that the server need not wait. A refusal of the first batch then has the number of
/// rows and warnings, but not the reason.</summary>
/// <param name="keys">asked before each batch if the engine cannot roll back; null: the server has nothing to refuse</param>
internal sealed class LoadDataSender(
    IServerSession session, IReadOnlyList<TableColumn> columns, string statement, string fileName, bool undoes, NewKeys? keys)
        : IBatchSender
{
    private readonly LoadDataText[] _texts = [new(columns), new(columns)];

    // Two savepoints alternate: a batch may have to be undone when that of the next one is already set.
    private readonly LocalLoad[] _loads =
        [new(undoes ? TransactionSql.Savepoint(0) : null, statement, fileName),
            new(undoes ? TransactionSql.Savepoint(1) : null, statement, fileName)];

    private int _encoded;
    private int _sent;

    public EncodedBatch Encode(RowBlock block, int from, int max)
    {
        var text = _texts[_encoded++ & 1];
        text.Fill(block, from, Math.Min(max, block.RowCount - from));
        return text;
    }

    public async ValueTask<BatchOutcome> SendAsync(
        EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
    {
        var text = (LoadDataText)batch;
        if (keys is not null && text is { RowCount: > 1, Rows: var (block, from) }
            && !await keys.AreInAsync(block, from, text.RowCount, cancellationToken))
        {
            return new BatchRefusal(
                0, "some of these rows may be duplicates, and LOAD DATA does not say which", null)
            { Kind = RefusalKind.Unsent };
        }

        var turn = _sent++ & 1;

        // A refused batch of one row cannot be narrowed, so its refusal has to say why: nothing may be sent before SHOW WARNINGS.
        var next = isMoreToCome && text.RowCount > 1 && keys is null ? _loads[turn ^ 1] : null;
        try
        {
            var answer = await session.LoadLocalAsync(_loads[turn], text.Content, next, onSent, cancellationToken);
            if (answer.Warnings == 0 && answer.AffectedRows == (ulong)text.RowCount)
            {
                return new RowCounts(text.RowCount);
            }

            // An announced load gets an empty file before SHOW WARNINGS can be sent, which would then be about that load.
            var refusal = next is not null
                ? BatchRefusals.OfCounts(answer, text.RowCount)
                : BatchRefusals.OfAnswer(
                    answer.AffectedRows, text.RowCount, await session.QueryAsync(TransactionSql.FirstWarnings, cancellationToken));
            await UndoAsync(refusal, turn, isAny: text.RowCount > 1 || answer.AffectedRows > 0, cancellationToken);
            return refusal;
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.Data)
        {
            var refusal = BatchRefusals.OfError(fault);
            await UndoAsync(refusal, turn, isAny: text.RowCount > 1, cancellationToken);
            return refusal;
        }
    }

    /// <param name="isAny">whether a row may have been taken; a single refused row was not</param>
    /// <exception cref="ReconciliationException">the engine cannot roll back</exception>
    private async ValueTask UndoAsync(BatchRefusal refusal, int turn, bool isAny, CancellationToken cancellationToken)
    {
        if (!undoes)
        {
            if (isAny)
            {
                throw BatchRefusals.NotUndone(refusal);
            }

            return;
        }

        await session.ExecuteAsync(TransactionSql.RollbackToSavepoint(turn), cancellationToken);
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
