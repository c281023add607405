using System.CommandLine;
using BulkLoad.Cli.Commands;
using BulkLoad.Cli.Connecting;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Input;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Cli.Completion;

/// <summary>Finds what could be typed next: commands, options and their values, names of tables and fields. Reads only a file's first
/// bytes, and never connects.</summary>
/// <param name="root">the program, with at least the called command</param>
/// <param name="tables">null: no names are kept</param>
internal sealed class Completer(Command root, IFiles files, TableNameCache? tables)
{
    /// <summary>Shells call it, with <c>--</c> and the typed words behind it.</summary>
    public const string Word = "complete";

    private static readonly string[] DirtActions = ["reject", "repair", "fail"];

    /// <param name="words">behind the program's name; the last one is completed, up to the cursor, and may be empty</param>
    public Answer Find(IReadOnlyList<string> words)
    {
        if (words.Count == 0)
        {
            return Answer.Nothing;
        }

        var last = words[^1];
        var typed = new CommandLine(root, [.. words.Take(words.Count - 1)]);
        var command = typed.Command;
        if (command.IsGroup() && typed.Files.Count > 0)
        {
            return Answer.Nothing;
        }

        var equals = last.IndexOf('=', StringComparison.Ordinal);
        var answer = typed.Waiting is { } waiting ? ValuesOf(waiting, "", last, typed)
            : typed.HasEnded || !last.StartsWith('-') ? Others(command, typed.Files.Count == 0, last)
            : equals < 0 ? OptionNames(typed, last)
            : command.Find(last[..equals]) is { } option ? ValuesOf(option, last[..(equals + 1)], last[(equals + 1)..], typed)
            : Answer.Nothing;
        return answer with { Words = [.. answer.Words.Where(word => word.Text.StartsWith(last, StringComparison.OrdinalIgnoreCase))] };
    }

    private static Answer OptionNames(CommandLine typed, string last)
    {
        var open = typed.Command.Known().Where(option => option.Arity.MaximumNumberOfValues > 1 || !typed.Has(option)).ToList();
        var names = open.Where(option => option.Name.StartsWith(last, StringComparison.Ordinal)).Select(
            option => (option.Name, Meaning(option.Description))).ToArray();

        // Names of other tools are only offered to those who type them.
        return new Answer(names.Length > 0 ? names : [.. open.SelectMany(
            option => option.Aliases.Select(alias => (alias, Meaning(option.Description)))).Where(name => name.alias.Length > 2)]);
    }

    /// <param name="isFirst">whether only options are before it</param>
    private Answer Others(Command command, bool isFirst, string last)
    {
        (string, string)[] commands = isFirst
            ? [.. command.Subcommands.Where(sub => !sub.Hidden).Select(sub => (sub.Name, Meaning(sub.Description)))] : [];
        return command switch
        {
            HelpCommand when isFirst => new Answer([.. HelpCommand.WordsOf(root)]),
            CompletionCommand when isFirst => new Answer([.. CompletionCommand.Shells.Select(shell => (shell, ""))]),
            JobsCommand when isFirst => new Answer([.. JobsCommand.Verbs.Select(verb => (verb, ""))]),
            HelpCommand or CompletionCommand or JobsCommand => Answer.Nothing,
            SeedCommand or SeedInitCommand => new Answer(commands, PathKind.Folders),
            { Arguments.Count: > 0 } => new Answer(commands, PathKind.Files),
            _ => new Answer(last.Length > 0 && last[0] == '/' ? [] : commands),
        };
    }

    /// <param name="before">the same word's text before the value</param>
    /// <param name="value">the part of it that is typed</param>
    private Answer ValuesOf(Option option, string before, string value, CommandLine typed)
    {
        (string, string)[] Words(IEnumerable<string> words) => [.. words.Select(word => (before + word, ""))];
        var notes = (option as IDeclaredOption)?.Notes;
        return notes?.Offer switch
        {
            Offer.Tables => new Answer(Words(tables?.Read() ?? [])),
            Offer.Fields => List(before, value, Fields(typed)),
            Offer.FieldPairs => value.LastIndexOf(',') is var comma && value.IndexOf('=', comma + 1) >= 0 ? Answer.Nothing
                : Open(before + value[..(comma + 1)], Fields(typed).Select(name => $"{name}=")),
            Offer.WordsOfColumn => OfColumn(before, value, notes.Words, typed),
            Offer.Words => new Answer(Words(notes.Words)),
            Offer.Strategies => new Answer(Words(["auto", .. StrategyNames.Of(
                typed.Command switch { UpdateCommand => JobKind.Update, DeleteCommand => JobKind.Delete, _ => JobKind.Import })])),
            Offer.Dirt when value.Contains('=', StringComparison.Ordinal) =>
                new Answer(Words(DirtActions.Select(action => value[..(value.LastIndexOf('=') + 1)] + action))),
            Offer.Dirt => Open(before, ["all=", .. Enum.GetValues<DirtKind>().Select(kind => $"{DirtPolicies.NameOf(kind)}=")]),
            _ when notes?.WordsOfParser() is { Count: > 0 } words => new Answer(Words(words)),
            _ => option.HelpName switch
            {
                "FILE" or "PATH" or "FILE.sql" => new Answer([], PathKind.Files),
                "FOLDER" or "DIR" => new Answer([], PathKind.Folders),
                _ => Answer.Nothing,
            },
        };
    }

    /// <summary>Separated by commas, each once.</summary>
    private static Answer List(string before, string value, IReadOnlyList<string> names)
    {
        var comma = value.LastIndexOf(',');
        var done = value[..(comma + 1)];
        var taken = done.Split(',');
        return Open(before + done, names.Where(name => !taken.Contains(name, StringComparer.OrdinalIgnoreCase)));
    }

    /// <summary>Words for every column, or for one by its name and <c>=</c>.</summary>
    private Answer OfColumn(string before, string value, IReadOnlyList<string> words, CommandLine typed) =>
        value.IndexOf('=', StringComparison.Ordinal) is > 0 and var at
        ? new Answer([.. words.Select(word => (before + value[..(at + 1)] + word, ""))])
        : Open(before, [.. words, .. Fields(typed).Select(name => $"{name}=")]);

    private static Answer Open(string before, IEnumerable<string> words) =>
        new([.. words.Where(word => word.Length > 0).Select(word => (before + word, ""))], IsOpen: true);

    /// <summary>Of the first file that was typed.</summary>
    private IReadOnlyList<string> Fields(CommandLine typed)
    {
        if (typed.ValueOf("--format") is "mysql" or "postgres")
        {
            return [];
        }

        foreach (var path in typed.Files)
        {
            try
            {
                var start = files.ReadStart(path, HeaderPeek.MaxBytes);
                var skipped = int.TryParse(typed.ValueOf("--skip-lines"), NumberStyles.None, CultureInfo.InvariantCulture, out var lines)
                    ? lines : 0;
                return HeaderPeek.Names(path, start, DelimiterOf(typed), skipped);
            }
            catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
            {
                // There is no file, or it cannot be read.
            }
        }

        return [];
    }

    private static string? DelimiterOf(CommandLine typed) => typed.ValueOf("--delimiter") switch
    {
        "\\t" or "tab" => "\t",
        "" or null => typed.ValueOf("--format") == "tsv" ? "\t" : null,
        var text => text,
    };

    /// <summary>The first part, short enough for a line.</summary>
    private static string Meaning(string? description)
    {
        const int MaxLength = 60;
        var text = (description ?? "").Split(['.', ';', '(', ':'], 2)[0].Trim();
        return text.Length <= MaxLength ? text : $"{text[..(MaxLength - 3)].TrimEnd()}...";
    }
}

/// <summary>Names of the file system that may be typed too; the shell knows them best.</summary>
internal enum PathKind
{
    None,
    Files,
    Folders,
}

/// <summary>What could be typed in the place of a word.</summary>
/// <param name="Words">each the whole word, with its meaning or empty</param>
/// <param name="Paths">what the shell should offer beside them</param>
/// <param name="IsOpen">whether a word may continue, so that no blank follows it</param>
internal sealed record Answer(IReadOnlyList<(string Text, string Meaning)> Words, PathKind Paths = PathKind.None, bool IsOpen = false)
{
    public static readonly Answer Nothing = new([]);

    /// <summary>Writes a line for the shell's script, then a line for each word, with its meaning behind a tab: <c>:</c> with <c>files</c>
    /// or <c>folders</c> for paths, <c>open</c> for words that may continue.</summary>
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
