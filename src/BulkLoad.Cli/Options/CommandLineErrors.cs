using System.CommandLine;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Options;

/// <summary>Errors of a command line, for people; they never show a value.</summary>
internal static class CommandLineErrors
{
    /// <param name="isAfterPassword">whether it may be a password</param>
    /// <param name="args">the whole line</param>
    public static string OfUnknown(Command command, string name, bool isAfterPassword, IReadOnlyList<string> args)
    {
        if (name.StartsWith(ConnectionArguments.Password, StringComparison.Ordinal))
        {
            return "unknown option '--password...': write --password=VALUE";
        }

        if (isAfterPassword || ConnectionUrl.IsMeant(name))
        {
            return "unknown option after --password or with '://', which may be a secret and is not shown";
        }

        if (name.Split(':') is [var before, _, ..] && command.Find(before) is not null)
        {
            return $"unknown option '{before}:...': write {before}=VALUE";
        }

        var synonym = Synonyms.Find(command, name);
        var similar = name.Length == 2 ? ""
            : Suggestions.Hint(name, command.Known().SelectMany(option => option.Aliases.Prepend(option.Name)));
        return $"unknown option '{name}'{(synonym is null ? $"{similar}{WhereItBelongs(command, name, args)}" : $": {synonym}")}";
    }

    public static string OfFlag(Command command, string name, string value)
    {
        var isOff = value.ToUpperInvariant() is "FALSE" or "NO" or "OFF" or "0" or "NONE";
        var opposite = $"--no-{name[2..]}";
        return $"option '{name}' takes no value: "
            + (!isOff ? $"write {name}" : command.Find(opposite) is not null ? $"write {opposite}" : "leave it out");
    }

    /// <summary>What is wrong with an option's value before its parser reads it; null: nothing.</summary>
    /// <param name="name">as typed</param>
    /// <param name="value">null: there is none</param>
    /// <param name="isSeparate">whether it is, or would be, the next word</param>
    public static string? OfValue(Command command, Option option, string name, string? value, bool isSeparate) => value switch
    {
        null => isSeparate ? $"{name} needs {option.NeededValue()}, and no word follows" : null,
        _ when isSeparate && OptionIn(command, option, value) is var (what, shown) =>
            $"{name} needs {option.NeededValue()}, and {what}; write {option.Name}={shown} if it is meant",
        _ when option.HelpName != "URL" && ConnectionUrl.HasScheme(value) =>
            $"option '{name}' takes no connection: write mysql://... as a word by itself",
        _ => null,
    };

    public static string OfCommand(Command parent, string word)
    {
        var meant = word.Contains('.', StringComparison.Ordinal) ? $"; to load a file: bulkload import {word}"
            : !parent.Parents.Any() && Synonyms.OfCommand(word) is { } ours ? $": that is 'bulkload {ours}'"
            : Suggestions.Hint(word, parent.Subcommands.Select(known => known.Name));
        return $"unknown command '{word}'{meant}";
    }

    /// <summary>What is wrong with the words that are the connection; null: nothing.</summary>
    public static string? OfUrls(Command command, IReadOnlyCollection<string> urls) =>
        urls.Count > 1 ? "two words with '://' name two connections: leave one out"
        : urls.Count == 1 && command.Options.All(option => option.Name != ConnectionArguments.Url)
            ? "a word with '://' is the connection, which this command does not need"
        : null;

    /// <summary>More words than the command takes, or fewer; null: the number is right.</summary>
    /// <param name="words">without options</param>
    public static string? OfNumber(Command command, IReadOnlyList<string> words)
    {
        if (command.IsGroup())
        {
            return null;
        }

        var most = command.Arguments.Sum(argument => argument.Arity.MaximumNumberOfValues);
        return words.Count > most
            ? most == 0
                ? $"'{command.Path()}' takes options only, and '{words[0]}' is none"
                : $"'{command.Path()}' takes one {command.Arguments[0].Name}, and '{words[most]}' is one more"
            : words.Count < command.Arguments.Sum(argument => argument.Arity.MinimumNumberOfValues)
                && command.Arguments[words.Count] is var missing
                ? $"'{command.Path()} {missing.Name}': {missing.Name} is missing: {missing.Description}"
                : null;
    }

    /// <summary>For a separate value that is an option: what it is, and how a message shows it, without an attached value. Null: it may be
    /// a value.</summary>
    private static (string What, string Shown)? OptionIn(Command command, Option option, string value)
    {
        if (value is not ['-', _, ..])
        {
            return null;
        }

        var isLong = value[1] == '-';
        var end = isLong ? value.IndexOf('=', StringComparison.Ordinal) is >= 0 and var at ? at : value.Length : 2;
        var name = value[..end];
        var shown = end == value.Length ? name : isLong ? $"{name}=..." : $"{name}...";
        return command.Find(name) is not null ? ($"'{name}' is an option", shown)
            : value == "--" ? option.NamesFile() ? ("'--' ends the options", value) : null
            : char.IsLetter(value[isLong ? 2 : 1]) && (isLong || option.NamesFile()) ? ("the word after it begins as an option does", "...")
            : null;
    }

    /// <summary>The command below this one that has the option; the typed one, if it has it.</summary>
    private static string WhereItBelongs(Command command, string name, IReadOnlyList<string> args) =>
        command.Subcommands.Where(sub => sub.Options.Any(option => option.Name == name || option.Aliases.Contains(name)))
            .OrderByDescending(sub => args.Contains(sub.Name)).FirstOrDefault() is { } owner
            ? $"; it goes after the command, as in '{command.Path()} {owner.Name} {name} ...'"
            : "";
}
