using BulkLoad.Core.Facts;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Insert;

/// <summary>The fixed text of a job's INSERT statements, before and behind their rows.</summary>
internal sealed record InsertForm
{
    public required DuplicateForm Duplicates { get; init; }

    /// <summary>Up to and including the word VALUES.</summary>
    public required string Head { get; init; }

    /// <summary>What stands behind every row's own values.</summary>
    public SetText Tail { get; init; } = SetText.None;

    /// <summary>What follows the rows; empty where a duplicate is to be an error.</summary>
    public string Ending { get; init; } = "";

    /// <summary>Index of the column whose NULL means an id that the server makes, where such rows need an ending of their own; else
    /// null.</summary>
    public int? OwnId { get; init; }

    /// <summary>What follows rows whose id the server makes.</summary>
    public string OwnIdEnding { get; init; } = "";

    /// <summary>Whether the server makes the ids of all rows, since the input has no column for them.</summary>
    public bool AreAllOwnIds { get; init; }

    /// <summary>Asks with one value, 1 or 0, whether the largest id is there: MySQL then gives that one to every new row, which so looks
    /// like its duplicate. Null where that cannot be.</summary>
    public string? IsLastIdUsed { get; init; }

    /// <summary>Whether a row whose id the server makes can have no duplicate: the id is part of every unique key.</summary>
    public bool OwnIdsAreNew { get; init; }

    /// <summary>As <see cref="Head"/>, of the REPLACE that a duplicate is sent again by.</summary>
    public required string ReplaceHead { get; init; }

    /// <exception cref="InvalidOperationException">no form keeps what was asked for; the plan should have refused it</exception>
    public static InsertForm Of(LoadFacts facts)
    {
        var (database, table) = (facts.Table.Database, facts.Table.Name);
        string[] columns = [.. facts.Columns.Select(column => column.Name), .. facts.Assignments.Select(assignment => assignment.Column)];
        var form = new InsertForm
        {
            Duplicates = DuplicatePlan.Of(facts).Form ?? throw new InvalidOperationException("no form of INSERT was found for this table"),
            Head = JobTag.Into(InsertSql.Head(database, table, columns), facts.Tag),
            Tail = InsertSql.Tail(facts.Assignments, facts.RowColumns),
            ReplaceHead = JobTag.Into(InsertSql.ReplaceHead(database, table, columns), facts.Tag),
        };
        if (form.Duplicates == DuplicateForm.Plain)
        {
            return form;
        }

        var id = facts.Table.Columns.FirstOrDefault(
            column => column.Default == ColumnDefault.AutoIncrement
                && facts.Assignments.All(assignment => assignment.Column != column.Name));
        if (id is null)
        {
            return form with { Ending = Write(facts, form.Duplicates, null) };
        }

        var areNew = facts.Table.UniqueKeys.All(key => key.Columns.Contains(id.Name, StringComparer.OrdinalIgnoreCase));
        var ownId = Array.IndexOf(columns, id.Name);
        return form with
        {
            Ending = Write(facts, form.Duplicates, null),
            OwnId = ownId < 0 ? null : ownId,
            AreAllOwnIds = ownId < 0,
            OwnIdsAreNew = areNew,
            OwnIdEnding = areNew ? "" : Write(facts, form.Duplicates, id),
            IsLastIdUsed = areNew || facts.Server.IsMariaDb || id.IntegerBytes == 0 || !id.CanSelect
                || form.Duplicates is DuplicateForm.SetRow or DuplicateForm.ReplaceAlone
                ? null
                : DuplicateSql.IsLastIdUsed(database, table, id.Name, LargestId(id)),
        };
    }

    /// <param name="more">what stands for further rows</param>
    /// <param name="size">how many rows a statement carries</param>
    public IEnumerable<string> Show(IReadOnlyList<TableColumn> columns, string more, string size)
    {
        var row = InsertSql.Prepared(Head, columns, Tail, 1) + more;
        yield return $"{row}{(AreAllOwnIds ? OwnIdEnding : Ending)} ({size})";
        if (OwnId is not null && OwnIdEnding != Ending)
        {
            yield return $"{row}{OwnIdEnding} (rows without an id)";
        }

        if (Duplicates == DuplicateForm.ReplaceAlone)
        {
            yield return $"{InsertSql.Prepared(ReplaceHead, columns, Tail, 1)} (a duplicate)";
        }
    }

    /// <param name="id">a column that gets an id of the server's in each of the rows, which the row that is there must not get; or
    /// null</param>
    private static string Write(LoadFacts facts, DuplicateForm form, TableColumn? id)
    {
        var set = facts.Columns.Where(column => column != id || form == DuplicateForm.SetRow).Select(column => column.Name)
            .Concat(facts.Assignments.Select(assignment => assignment.Column));
        return form switch
        {
            DuplicateForm.KeepRow => DuplicateSql.KeepRow(facts.Table.Name, DuplicatePlan.FindKeptColumn(facts.Table)!.Name),
            DuplicateForm.SetColumns => DuplicateSql.SetColumns(facts.Table.Name, set, [], facts.Server.NamesNewRow),
            DuplicateForm.SetRow => DuplicateSql.SetColumns(
                facts.Table.Name, set, DuplicatePlan.Unmapped(facts).Select(column => column.Name), facts.Server.NamesNewRow),
            _ => "",
        };
    }

    private static UInt128 LargestId(TableColumn id) =>
        (UInt128.One << ((id.IntegerBytes * 8) - (id.Kind == ColumnKind.UnsignedInteger ? 0 : 1))) - 1;
}
