using System.CommandLine;

namespace BulkLoad.Cli.Options;

/// <summary>How records are checked.</summary>
internal sealed class CheckArguments : ArgumentGroup
{
    private readonly Option<bool> _onServer;
    private readonly Option<string?> _strategy;
    private readonly Option<string?> _tempFolder;
    private readonly Option<long?> _maxMemory;

    public CheckArguments() : base("Check")
    {
        _onServer = Flag(
            "--on-server",
            "also ask the server: send everything in one transaction and roll it back (default: nothing is sent, and what only the server can decide is undecided)");
        _strategy = Text("--strategy", "NAME", "with --on-server: auto (default), or the strategy to take; one that does not fit is refused, never replaced");
        _tempFolder = Text("--temp-dir", "DIR", "folder for sorting keys that do not fit into memory, and for standard input (default: the system's, $TMPDIR or /tmp)");
        _maxMemory = MaxMemory();
    }

    public CheckWords Bind(ParseResult words) => new(
        words.GetValue(_onServer), words.GetValue(_strategy) is { } name && name != "auto" ? name : null, words.GetValue(_tempFolder), words.GetValue(_maxMemory));
}

/// <summary>The check as typed; null: not typed.</summary>
internal sealed record CheckWords(bool OnServer, string? Strategy, string? TempFolder, long? MaxMemory);
