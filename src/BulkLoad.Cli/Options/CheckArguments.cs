using System.CommandLine;

namespace BulkLoad.Cli.Options;

/// <summary>How records are checked.</summary>
internal sealed class CheckArguments : ArgumentGroup
{
    private readonly Option<bool> _onServer;
    private readonly Option<string?> _strategy;
    private readonly Option<string?> _tempFolder;
    private readonly Option<long?> _maxMemory;
    private readonly Option<string?> _schema;
    private readonly Option<bool> _suggest;

    public CheckArguments() : base("Check")
    {
        _onServer = Flag(
            "--on-server",
            "also ask the server: send everything in one transaction and roll it back (default: nothing is sent, and what only the server "
                + "can decide is undecided)");
        _suggest = Flag("--suggest",
            "read every record, and print the import command that takes all of them: encoding, formats of dates and numbers, words "
                + "for NULL, true and false");
        _strategy = Text("--strategy", "NAME",
            "with --on-server: auto (default), or the strategy to take; one that does not fit is refused, never replaced");
        _tempFolder = Text("--temp-dir", "DIR",
            "folder for sorting keys that do not fit into memory, and for standard input (default: the system's, $TMPDIR or /tmp)");
        _maxMemory = MaxMemory();
        _schema = Text("--schema", "FILE",
            "judge a folder without a server, by the tables that this file of SQL makes: bulkload check DIR --schema schema.sql");
    }

    /// <summary>Options that a folder takes.</summary>
    public IEnumerable<Option> OfFolder => [_schema, _tempFolder];

    public CheckWords Bind(ParseResult words) => new(
        words.GetValue(_onServer), words.GetValue(_strategy) is { } name && name != "auto" ? name : null, words.GetValue(_tempFolder),
        words.GetValue(_maxMemory))
    {
        Schema = words.GetValue(_schema),
        Suggests = words.GetValue(_suggest),
    };
}

/// <summary>The check as typed; null: not typed.</summary>
internal sealed record CheckWords(bool OnServer, string? Strategy, string? TempFolder, long? MaxMemory)
{
    /// <summary>A file of SQL by whose tables a folder is judged.</summary>
    public string? Schema { get; init; }

    /// <summary>Whether options are looked for.</summary>
    public bool Suggests { get; init; }
}
