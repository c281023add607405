using System.CommandLine;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Commands;

/// <summary>A command that writes into a table: with options for how that is done, what is written down of it, and whom it gives way
/// to.</summary>
internal abstract class WritingCommand : FileCommand
{
    private readonly WorkArguments _work;
    private readonly JobArguments _job;
    private readonly PreviewArguments _preview;

    protected WritingCommand(string name, string description, CommandContext context, TargetArguments target, MappingArguments mapping,
        params ArgumentGroup[] own)
        : this(name, description, context, target, mapping, own, new PreviewArguments(), new WorkArguments(),
            new JobArguments(imports: name == ImportCommand.Word, repeats: name == DeleteCommand.Word))
    {
    }

    private WritingCommand(
        string name, string description, CommandContext context, TargetArguments target, MappingArguments mapping, ArgumentGroup[] own,
        PreviewArguments preview, WorkArguments work, JobArguments job)
        : base(
            name, description, context, target, mapping, new RejectArguments("0"), [.. own, preview, work, job, new ThrottleArguments()]) =>
        (_preview, _work, _job) = (preview, work, job);

    protected sealed override LoadRequest Bind(LoadRequest request, RejectWords rejects, ParseResult words) =>
        Bind(_preview.Apply(_job.Apply(_work.Bind(words).ApplyTo(request), words), rejects, words), words);

    /// <summary>Adds the command's own options to those that all such commands share.</summary>
    protected abstract LoadRequest Bind(LoadRequest request, ParseResult words);
}
