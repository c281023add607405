using BulkLoad.Core.Input;
using BulkLoad.Core.Options;

namespace BulkLoad.Core.Rejects;

/// <summary>Checks that no output of a command is another of its files, whatever its name: it would be destroyed.</summary>
internal static class OutputFiles
{
    /// <exception cref="RequestException">an output is an input, or another output</exception>
    /// <exception cref="InputException">a pattern that no file fits</exception>
    internal static void Require(LoadRequest request, IEnumerable<(string Option, string Path)> outputs)
    {
        (string Option, string? Path)[] own =
        [
            ("--reject-file", request.RejectFile), ("--reject-file", request.RejectReasonsFile), ("--repairs-file", request.RepairsFile),
            ("--ids-file", request.IdsFile), ("--preview-file", request.PreviewFile),
        ];
        string?[] pinned = [request.Spec?.Name, request.Profile?.Name];
        Require(
            request.Files, pinned.OfType<string>(),
            [.. outputs, .. own.Where(output => output.Path is not null).Select(output => (output.Option, output.Path!))]);
    }

    /// <param name="words">its files, patterns and folders</param>
    public static void Require(
        IEnumerable<string> words, IEnumerable<string> inputs, IReadOnlyCollection<(string Option, string Path)> outputs)
    {
        if (outputs.Count == 0)
        {
            return;
        }

        var taken = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (var file in InputPaths.Expand(words).Concat(inputs)
            .SelectMany(file => Directory.Exists(file) ? Directory.EnumerateFiles(file) : [file]))
        {
            if (file is { Length: > 0 } and not InputPaths.StandardInput)
            {
                taken.TryAdd(KeyOf(file), file);
            }
        }

        foreach (var (option, path) in outputs)
        {
            if (!taken.TryAdd(KeyOf(path), path))
            {
                var other = taken[KeyOf(path)];
                throw new RequestException(Path.GetFullPath(path) == Path.GetFullPath(other)
                    ? $"{option}: '{path}' is another file of this command already"
                    : $"{option}: '{path}' is the same file as '{other}', which this command uses already: name another file");
            }
        }
    }

    /// <summary>Whether a path leads to an existing regular file: neither a device nor a pipe.</summary>
    public static bool IsRegularFile(string path) => File.Exists(path) && FileIdentity.Of(path).IsRegular;

    /// <summary>Several outputs may go to one device or pipe, which cannot be destroyed: its path counts.</summary>
    private static string KeyOf(string path) =>
        FileIdentity.Of(path) is { IsRegular: true, Text: var text } ? text : Path.GetFullPath(path);
}
