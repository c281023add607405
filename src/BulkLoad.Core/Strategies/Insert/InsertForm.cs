using BulkLoad.Core.Facts;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Insert;

/// <summary>The fixed text of a job's INSERT statements, before and after their rows.</summary>
internal sealed record InsertForm
{
    public required DuplicateForm Duplicates { get; init; }

    /// <summary>Up to and including the word VALUES.</summary>
    public required string Head { get; init; }

    /// <summary>Follows the values of each row.</summary>
    public SetText Tail { get; init; } = SetText.None;

    /// <summary>Follows the rows; empty: a duplicate is an error.</summary>
    public string Ending { get; init; } = "";

    /// <summary>Index of the column whose NULL makes the server generate an id; null: such rows need no ending of their own.</summary>
    public int? OwnId { get; init; }

    /// <summary>Follows rows whose id the server generates.</summary>
    public string OwnIdEnding { get; init; } = "";

    /// <summary>Whether the server generates the ids of all rows, since the input has no column for them.</summary>
    public bool AreAllOwnIds { get; init; }

    /// <summary>Question with the answer 1 or 0: whether the largest possible id is used. MySQL then gives this id to every new row, which
    /// looks like a duplicate of the row that has it. Null: impossible here.</summary>
    public string? IsLastIdUsed { get; init; }

    /// <summary>Whether a row with a generated id can have no duplicate: the id is part of every unique key.</summary>
    public bool OwnIdsAreNew { get; init; }

    /// <summary>As <see cref="Head"/>, for the REPLACE that sends a duplicate again.</summary>
    public required string ReplaceHead { get; init; }

    /// <exception cref="InvalidOperationException">no form does what was asked for; the plan should have refused it</exception>
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

    /// <param name="more">the text for further rows</param>
    /// <param name="size">number of rows of a statement</param>
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

    /// <param name="id">column for which the server generates an id in each row; an existing row must not get it. Null: none</param>
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
