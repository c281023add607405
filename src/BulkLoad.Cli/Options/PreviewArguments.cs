using System.CommandLine;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Options;

/// <summary>What would be changed, in place of changing it.</summary>
internal sealed class PreviewArguments : ArgumentGroup
{
    /// <summary>Changes of each kind that are shown.</summary>
    private const int Shown = 10;

    private readonly Option<bool> _preview;
    private readonly Option<string?> _file;

    public PreviewArguments()
        : base("Preview")
    {
        _preview = Flag("--preview", $"count and show what would be changed, the first {Shown} rows of each kind, and write nothing");
        _file = Text("--preview-file", "FILE", "with --preview: all rows that would be changed, as CSV");
    }

    /// <summary>The request with what was typed.</summary>
    /// <exception cref="RequestException">a file without a preview</exception>
    public LoadRequest Apply(LoadRequest request, RejectWords rejects, ParseResult words)
    {
        var (isPreview, file) = (words.GetValue(_preview), words.GetValue(_file));
        if (file is not null && !isPreview)
        {
            throw new RequestException("--preview-file: without --preview there is nothing to write to it: add that");
        }

        return !isPreview ? request : request with
        {
            PreviewRows = Shown,
            PreviewFile = file,
            GoesOnBeyondMaxRejects = rejects.MaxRejects is not { Percent: not null },
        };
    }
}
