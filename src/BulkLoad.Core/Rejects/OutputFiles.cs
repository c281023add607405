using BulkLoad.Core.Input;
using BulkLoad.Core.Options;

namespace BulkLoad.Core.Rejects;

/// <summary>Sees to it that no output of a command is another of its files, under whatever name: it would be destroyed.</summary>
public static class OutputFiles
{
    /// <summary>Looks at all files that a command reads and writes, before any is opened.</summary>
    /// <param name="request">its inputs, and the files of refused and repaired records</param>
    /// <param name="outputs">the option and the path of each other output</param>
    /// <exception cref="RequestException">an output is an input, or another output</exception>
    /// <exception cref="InputException">a pattern that no file fits</exception>
    public static void Require(LoadRequest request, IEnumerable<(string Option, string Path)> outputs)
    {
        (string Option, string? Path)[] all =
        [
            .. outputs, ("--reject-file", request.RejectFile), ("--reject-file", request.RejectReasonsFile),
            ("--repairs-file", request.RepairsFile),
            ("--preview-file", request.PreviewFile),
        ];
        if (all.All(output => output.Path is null))
        {
            return;
        }

        var taken = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (var file in InputPaths.Expand(request.Files).Append(request.Spec?.Name).Append(request.Profile?.Name))
        {
            if (file is { Length: > 0 } and not InputPaths.StandardInput)
            {
                taken.TryAdd(KeyOf(file), file);
            }
        }

        foreach (var (option, path) in all)
        {
            if (path is not null && !taken.TryAdd(KeyOf(path), path))
            {
                var other = taken[KeyOf(path)];
                throw new RequestException(Path.GetFullPath(path) == Path.GetFullPath(other)
                    ? $"{option}: '{path}' is another file of this command already"
                    : $"{option}: '{path}' is the same file as '{other}', which this command uses already: name another file");
            }
        }
    }

    /// <summary>Several outputs may go to one device or pipe, which cannot be destroyed: its path counts.</summary>
    private static string KeyOf(string path) =>
        FileIdentity.Of(path) is { IsRegular: true, Text: var text } ? text : Path.GetFullPath(path);
}
