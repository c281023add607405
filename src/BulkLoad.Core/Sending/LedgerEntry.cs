using BulkLoad.Core.Facts;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Sending;

/// <summary>The open chunk's row in the ledger. Without a ledger it does nothing.</summary>
/// <param name="ledger">stays the caller's; null: there is none</param>
/// <param name="columns">checked before a chunk is committed; null: not checked</param>
internal sealed class LedgerEntry(JobLedger? ledger, ColumnWatch? columns = null)
{
    private readonly ChunkHash? _hash = ledger is null ? null : new ChunkHash();
    private (int Source, long Record, long Offset)? _first;
    private (int Source, long Record, long Offset)? _last;
    private readonly RecordMarks _superseded = new();
    private bool _isBegun;

    /// <summary>Whether each chunk has a row, and so a transaction, even with nothing but rejects.</summary>
    public bool IsKept => ledger is not null;

    /// <summary>Writes the chunk's row before anything of the chunk is sent, once.</summary>
    /// <param name="block">of which rows are sent next; null: the chunk has no rows</param>
    public async ValueTask BeginAsync(IServerSession session, RowBlock? block, CancellationToken cancellationToken)
    {
        if (ledger is null || _isBegun)
        {
            return;
        }

        _first ??= FirstOf(block!);
        await ledger.BeginAsync(session, _first.Value.Source, _first.Value.Record, _first.Value.Offset, cancellationToken);
        _isBegun = true;
    }

    /// <param name="block">of the chunk, in the input's order; may be added again</param>
    public void Add(RowBlock block)
    {
        if (_hash is null || block.RecordCount == 0)
        {
            return;
        }

        var (record, offset) = block.Extent.Last;
        if (_last is { } last && (block.Source < last.Source || (block.Source == last.Source && record <= last.Record)))
        {
            return;
        }

        _first ??= FirstOf(block);
        _last = (block.Source, record, offset);
        _hash.Add(block);
        Mark(block);
    }

    /// <summary>Completes the chunk's row before the COMMIT.</summary>
    /// <exception cref="AlteredTableException">the chunk must not be committed</exception>
    public async ValueTask EndAsync(
        IServerSession session, OpenChunk chunk, RejectLog rejects, RepairLog repairs, CancellationToken cancellationToken)
    {
        if (ledger is null)
        {
            await CheckAsync(session, cancellationToken);
            return;
        }

        await BeginAsync(session, null, cancellationToken);
        var entry = Written = Describe(chunk, rejects, repairs);
        if (columns?.Condition is not { } condition || !await ledger.TryEndAsync(session, entry, condition, cancellationToken))
        {
            await CheckAsync(session, cancellationToken);
            await ledger.EndAsync(session, entry, cancellationToken);
        }
    }

    /// <summary>The chunk's row as it was completed last; null: it was not.</summary>
    public LedgerChunk? Written { get; private set; }

    /// <summary>The chunk is committed, and another one begins.</summary>
    public void Keep()
    {
        if (Written is { } chunk)
        {
            ledger!.Truth.Add(chunk);
        }

        Clear();
    }

    /// <summary>Another chunk begins, or this one again.</summary>
    public void Clear()
    {
        Written = null;
        _first = null;
        _last = null;
        _isBegun = false;
        _superseded.Clear();
        _hash?.Finish();
    }

    /// <summary>No marks if a chunk of several inputs is the whole job, behind which no record can change, or if there are none to mark
    /// (BlockProducer).</summary>
    private void Mark(RowBlock block)
    {
        for (var row = 0; block.SupersededCount > 0 && block.Source == _first!.Value.Source && row < block.RowCount; row++)
        {
            if (block.IsSuperseded(row))
            {
                _superseded.Add(block.Record(row) - _first.Value.Record);
            }
        }
    }

    private LedgerChunk Describe(OpenChunk chunk, RejectLog rejects, RepairLog repairs)
    {
        var (first, last) = (_first!.Value, _last!.Value);
        var half = ledger!.HalfUpTo(last.Source, last.Offset);
        return new LedgerChunk
        {
            Source = first.Source,
            FirstRecord = first.Record,
            FirstOffset = first.Offset,
            LastSource = last.Source,
            LastRecord = last.Record,
            LastOffset = last.Offset,
            Content = _hash!.Finish(),
            Taken = chunk.Taken,
            HalfLength = half?.Length ?? 0,
            Half = half?.Hash,
            Superseded = _superseded,
            Batches = chunk.Batches,
            Rejects = rejects.OpenByCode,
            Repairs = repairs.OpenByKind,
            Findings = rejects.Positions,
            FirstId = chunk.FirstId,
        };
    }

    private ValueTask CheckAsync(IServerSession session, CancellationToken cancellationToken) =>
        columns?.CheckAsync(session, cancellationToken) ?? ValueTask.CompletedTask;

    private static (int Source, long Record, long Offset) FirstOf(RowBlock block) =>
        (block.Source, block.Extent.First.Record, block.Extent.First.Offset);
}

/// <summary>Checks that the table's columns are still those that the rules judged values by. It asks at the end of a chunk: from a
/// transaction's first row to its COMMIT the server lets nobody alter the table (both manuals, "Metadata Locking"), so that all rows of the
/// chunk met these columns. Without it LOAD DATA would fill a new NOT NULL column with a value that nobody chose, and any strategy's values
/// would be fitted into a narrower column, on some types without a warning. Not thread-safe.</summary>
internal sealed class ColumnWatch(LoadFacts facts)
{
    private readonly HashSet<string> _used = new(
        [.. facts.Columns.Select(column => column.Name), .. facts.Assignments.Select(assignment => assignment.Column)],
        StringComparer.OrdinalIgnoreCase);

    private IReadOnlyList<TableColumn> _seen = facts.Table.Columns;

    /// <summary>A condition for a statement of the open chunk, in place of <see cref="CheckAsync"/>: true only if the columns are those
    /// that were seen last. Null if the server may log the statement as text, since a replica would ask its own catalogue.</summary>
    public string? Condition => facts.Server.LogsStatements ? null : string.Join(" AND ", Conditions());

    /// <exception cref="AlteredTableException">a used column has changed, or a new one needs values</exception>
    public async ValueTask CheckAsync(IServerSession session, CancellationToken cancellationToken)
    {
        var found = await TableProbe.LookAtColumnsAsync(session, facts.Table.Database, facts.Table.Name, cancellationToken);
        var changes = Changed(found).Concat(facts.Request.Kind == JobKind.Import ? Demanding(found) : []).ToArray();
        if (changes.Length > 0)
        {
            throw new AlteredTableException($"table {facts.Table.OwnName} was altered while the job ran: {string.Join(", ", changes)}");
        }

        _seen = found;
    }

    private IEnumerable<string> Conditions()
    {
        var (database, name) = (facts.Table.Database, facts.Table.Name);
        yield return CatalogSql.AreColumns(database, name, [.. _seen.Select(column => column.Digest)]);
        var spatial = _seen.Where(column => column.Kind == ColumnKind.Geometry).Select(column => (column.Name, column.Srid)).ToArray();
        if (spatial.Length > 0)
        {
            yield return CatalogSql.AreSpatialReferences(database, name, facts.Server.IsMariaDb, spatial);
        }
    }

    private IEnumerable<string> Changed(IReadOnlyList<TableColumn> found)
    {
        foreach (var planned in facts.Table.Columns.Where(column => _used.Contains(column.Name)))
        {
            var now = found.FirstOrDefault(column => column.Name.Equals(planned.Name, StringComparison.OrdinalIgnoreCase));
            if (now is null)
            {
                yield return $"column '{planned.Name}' is gone";
            }
            else if (now.TypeText != planned.TypeText)
            {
                yield return $"column '{planned.Name}' is {now.TypeText} and was {planned.TypeText}";
            }
            else if (Comparable(now) != Comparable(planned))
            {
                yield return $"column '{planned.Name}' has another character set, collation, default or NOT NULL than it had";
            }
        }
    }

    private IEnumerable<string> Demanding(IReadOnlyList<TableColumn> found) => found
        .Where(column => column is { IsGenerated: false, Default: ColumnDefault.None } && !_used.Contains(column.Name))
        .Select(column => $"column '{column.Name}' is NOT NULL without a default, and the input does not have it");

    /// <summary>Without what the type's text contains, and without rights, which the server itself checks.</summary>
    private static TableColumn Comparable(TableColumn column) =>
        column with { LosesNull = false, Labels = [], CanInsert = true, CanUpdate = true, CanSelect = true, Digest = "" };
}

/// <summary>The table's columns have changed since the plan. The message says which; the open chunk must not be committed.</summary>
internal sealed class AlteredTableException(string message) : Exception(message);
