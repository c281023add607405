using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Sending;

/// <summary>
/// Whether the table's columns are still those that the rules judged values by. It is asked at the end of a chunk: from a transaction's
/// first row to its COMMIT the server lets nobody alter the table (both manuals, "Metadata Locking"), so that all rows of the chunk met
/// what it then sees. Without it LOAD DATA would fill a new NOT NULL column with a value that nobody chose, and any strategy's values would
/// be fitted into a column that was narrowed, on some types without a warning. One caller at a time.
/// </summary>
internal sealed class ColumnWatch(LoadFacts facts)
{
    private readonly HashSet<string> _used = new(
        [.. facts.Columns.Select(column => column.Name), .. facts.Assignments.Select(assignment => assignment.Column)],
        StringComparer.OrdinalIgnoreCase);

    private IReadOnlyList<TableColumn> _seen = facts.Table.Columns;

    /// <summary>
    /// What a statement of the open chunk can ask by the way, in place of <see cref="CheckAsync"/>: true only where the columns are those
    /// that were seen last. Null where the server may log the statement as it is, since a replica would ask its own catalogue.
    /// </summary>
    public string? Condition => facts.Server.LogsStatements ? null : string.Join(" AND ", Conditions());

    /// <exception cref="AlteredTableException">a column that is used is another now, or one that rows would need has come</exception>
    public async ValueTask CheckAsync(IServerSession session, CancellationToken cancellationToken)
    {
        var found = await TableProbe.LookAtColumnsAsync(session, facts.Table.Database, facts.Table.Name, cancellationToken);
        var changes = Changed(found).Concat(facts.Request.Kind == JobKind.Import ? Demanding(found) : []).ToArray();
        if (changes.Length > 0)
        {
            throw new AlteredTableException($"table {facts.Table.DisplayName} was altered while the job ran: {string.Join(", ", changes)}");
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

    private IEnumerable<string> Changed(List<TableColumn> found)
    {
        foreach (var planned in facts.Table.Columns.Where(column => _used.Contains(column.Name)))
        {
            var now = found.Find(column => column.Name.Equals(planned.Name, StringComparison.OrdinalIgnoreCase));
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

    private IEnumerable<string> Demanding(List<TableColumn> found) => found
        .Where(column => column is { IsGenerated: false, Default: ColumnDefault.None } && !_used.Contains(column.Name))
        .Select(column => $"column '{column.Name}' is NOT NULL without a default, and the input does not have it");

    /// <summary>Without what the type's text says already, and rights, of which the server itself has the last word.</summary>
    private static TableColumn Comparable(TableColumn column) =>
        column with { Labels = [], CanInsert = true, CanUpdate = true, CanSelect = true, Digest = "" };
}

/// <summary>The table's columns are not those any more that the plan was made for. The message says which; the open chunk must not be
/// committed.</summary>
internal sealed class AlteredTableException(string message) : Exception(message);
