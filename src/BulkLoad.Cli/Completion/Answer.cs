namespace BulkLoad.Cli.Completion;

/// <summary>Names of the file system that may be typed too; the shell knows them best.</summary>
internal enum PathKind
{
    None,
    Files,
    Folders,
}

/// <summary>What could be typed in the place of a word.</summary>
/// <param name="Words">each the whole word, with what it means or nothing</param>
/// <param name="Paths">what the shell should offer beside them</param>
/// <param name="IsOpen">whether a word may go on, so that no blank comes behind it</param>
internal sealed record Answer(IReadOnlyList<(string Text, string Meaning)> Words, PathKind Paths = PathKind.None, bool IsOpen = false)
{
    public static readonly Answer Nothing = new([]);

    /// <summary>
    /// A line for the shell's script, then a line for each word, with what it means behind a tab: <c>:</c> with <c>files</c> or
    /// <c>folders</c> for paths, <c>open</c>
    /// for words that may go on.
    /// </summary>
    public void Write(TextWriter to)
    {
        var paths = Paths switch { PathKind.Files => "files", PathKind.Folders => "folders", _ => "" };
        to.Write($":{paths}{(IsOpen ? "open" : "")}\n");
        foreach (var (text, meaning) in Words.Where(word => !word.Text.Any(char.IsControl)))
        {
            to.Write(meaning.Length == 0 ? $"{text}\n" : $"{text}\t{meaning}\n");
        }
    }
}
