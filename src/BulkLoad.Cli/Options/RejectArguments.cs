using System.CommandLine;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Options;

/// <summary>What becomes of records that are refused.</summary>
internal sealed class RejectArguments : ArgumentGroup
{
    private readonly Option<RejectLimit?> _maxRejects;
    private readonly Option<string?> _rejectFile;
    private readonly Option<string?> _repairsFile;

    /// <param name="defaultOfMaxRejects">as the help says it</param>
    public RejectArguments(string defaultOfMaxRejects) : base("Rejects")
    {
        _maxRejects = Object(
            "--max-rejects",
            "N|N%",
            $"records that may be refused before the job stops; a share is checked at each chunk's end, from 10,000 records on (default: "
                + $"{defaultOfMaxRejects})",
            OptionParsers.RejectLimit);
        _rejectFile = Text(
            "--reject-file",
            "FILE",
            "save refused records to FILE, as they are in the input and with its header, to be fixed and imported; the reasons are saved "
                + "next to it, in FILE with the extension .jsonl");
        _repairsFile = Text("--repairs-file", "FILE", "list repaired records (see --dirt) in FILE, one JSON object each");
    }

    public RejectWords Bind(ParseResult words) =>
        new(words.GetValue(_maxRejects), words.GetValue(_rejectFile), words.GetValue(_repairsFile));
}

/// <summary>The rejects as typed; null: not typed.</summary>
internal sealed record RejectWords(RejectLimit? MaxRejects, string? RejectFile, string? RepairsFile);
