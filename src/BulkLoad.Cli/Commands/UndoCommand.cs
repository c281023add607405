using System.CommandLine;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Commands;

/// <summary>Takes back what an import has inserted.</summary>
internal sealed class UndoCommand : FileCommand
{
    public const string Word = "undo";

    public static readonly CommandEntry Entry = new(
        Word, "Take back the rows that an import has inserted.", (_, context) => new UndoCommand(
            context, new Argument<string>("JOB") { Description = "the import's name in the ledger; 'bulkload jobs' lists them" }));

    private readonly Argument<string> _job;

    private UndoCommand(CommandContext context, Argument<string> job)
        : base(Entry, context, new UndoTargetArguments(), new MappingArguments(sets: false), rejects: null, [new UndoArguments()],
        [
            ("bulkload undo 5423fad5a3c750d3 -D shop --preview", "which rows would go and which would stay; deletes nothing"),
            ("bulkload undo 5423fad5a3c750d3 -D shop", "the rows of that import, unless they have changed since"),
            ("bulkload undo 5423fad5a3c750d3 -D shop --delimiter ';' --null-value NA", "an import that had these options"),
            ("bulkload undo 5423fad5a3c750d3 -D shop archive/people.csv", "the file was moved since"),
        ],
        new SourceArguments(readsAll: true), job) => _job = job;

    protected override LoadRequest Begin(LoadRequest request, ParseResult words) => request with
    {
        Undo = new UndoOptions(words.GetValue(_job) ?? "") { Confirm = Context.Confirm is null ? null : Confirm },
    };

    private bool Confirm(UndoQuestion asked) => Context.Confirm!(
        $"delete the {Amounts.Count(asked.Rows, "row")} that job {asked.Job} has inserted into {asked.Table} on {asked.Endpoint}, unless "
            + "they have changed since? [y/N] ");
}
