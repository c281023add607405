using System.CommandLine;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Commands;

/// <summary>Takes back what an import has inserted.</summary>
internal sealed class UndoCommand : FileCommand
{
    public const string Word = "undo";

    public static readonly CommandEntry Entry = new(
        Word, "Take back what a job has done.",
        (_, context) => new UndoCommand(
            context, new Argument<string>("JOB") { Description = "the job's name in the ledger; 'bulkload jobs' lists them" }));

    private readonly Argument<string> _job;

    private UndoCommand(CommandContext context, Argument<string> job)
        : base(Entry, context, new UndoTargetArguments(), new MappingArguments(sets: false), rejects: null, [new UndoArguments()],
        [
            ("bulkload undo 5423fad5a3c750d3 -D shop --preview",
                "which rows would go or be put back, and which would stay; changes nothing"),
            ("bulkload undo 5423fad5a3c750d3 -D shop", "the rows of that import, unless they have changed since"),
            ("bulkload undo 5423fad5a3c750d3 -D shop --delimiter ';' --null-value NA", "an import that had these options"),
            ("bulkload undo 5423fad5a3c750d3 -D shop archive/people.csv", "the file was moved since"),
            ("bulkload undo refresh.4f1c9be27a60d385 -D shop", "a full refresh with --keep-old: the former table is the table again"),
        ],
        new SourceArguments(readsAll: true), job) => _job = job;

    protected override LoadRequest Begin(LoadRequest request, ParseResult words)
    {
        RequestException.ThrowIf(request.WritesSpec, "--write-spec is for import and check: leave it out");
        return request with
        {
            Undo = new UndoOptions(words.GetValue(_job) ?? "") { Confirm = Context.Confirm is null ? null : Confirm },
        };
    }

    private bool Confirm(UndoQuestion asked) => Context.Confirm!(
        (asked.Changes is { } changes
            ? $"make {asked.Table} on {asked.Endpoint}, {Amounts.Count(asked.Rows, "row")}, what it was before job {asked.Job}: {changes}"
        : asked.Change == UndoReport.Inserted
            ? $"delete the {Amounts.Count(asked.Rows, "row")} that job {asked.Job} has inserted into {asked.Table} on {asked.Endpoint}, "
                + "unless they have changed since"
        : asked.Change == UndoReport.InsertedOrChanged
            ? $"delete or put back the {Amounts.Count(asked.Rows, "row")} that job {asked.Job} has inserted into {asked.Table} on "
                + $"{asked.Endpoint}, or changed there, unless they have changed since"
        : $"put the {Amounts.Count(asked.Rows, "row")} back that job {asked.Job} has {UndoText.In(asked.Change)} {asked.Table} on "
            + $"{asked.Endpoint}, unless they have changed since")
        + "? [y/N] ");
}
