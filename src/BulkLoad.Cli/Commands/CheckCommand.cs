using System.CommandLine;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload check FILE... --table T</c>: judges every record as an import would, and writes nothing.</summary>
internal sealed class CheckCommand : FileCommand
{
    /// <summary>What calls it.</summary>
    public const string Word = "check";

    private const string WithoutMaxRejects = "a check continues to the end, and exits with 4 if an import would have stopped";

    private readonly CheckArguments _check;

    public CheckCommand(CommandContext context) : this(context, new CheckArguments())
    {
    }

    private CheckCommand(CommandContext context, CheckArguments check)
        : base(Word, "Validate files against a table, without writing.", context, new TargetArguments(), new MappingArguments(), new RejectArguments(WithoutMaxRejects), check) => _check = check;

    /// <inheritdoc/>
    public override IReadOnlyList<(string Line, string Does)> Examples =>
    [
        ("bulkload check people.csv -D shop", "which records would be refused, and why; nothing is sent"),
        ("bulkload check people.csv -D shop --reject-file bad.csv", "all of them in a file, to be fixed"),
        ("bulkload check people.csv -D shop --on-server", "also what the server says; rolled back at the end"),
        ("bulkload check people.csv -D shop --max-rejects 100", "stop at the 101st"),
    ];

    protected override LoadRequest Bind(LoadRequest request, RejectWords rejects, ParseResult words)
    {
        var check = _check.Bind(words);
        return request with
        {
            IsCheck = true,
            OnServer = check.OnServer,
            GoesOnBeyondMaxRejects = rejects.MaxRejects is null,
            Strategy = check.Strategy,
            TempFolder = check.TempFolder ?? request.TempFolder,
            MaxMemory = check.MaxMemory,
        };
    }
}
