using System.CommandLine;
using BulkLoad.Cli.Connecting;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Commands;

/// <summary>What a command works with.</summary>
internal sealed record CommandContext(HostEnvironment Host, JobFactory Jobs, Messages Messages, StopSignals Signals)
{
    /// <summary>The command line; empty where no command is called.</summary>
    public IReadOnlyList<string> Words { get; init; } = [];

    public StandardOutput Output { get; } = StandardOutput.Of(Host);

    /// <summary>The command as it was typed, once it was understood.</summary>
    public TypedCommand? Typed => _last.Typed;

    /// <summary>Keeps what was typed, for the commands that messages name.</summary>
    public void Remember(TypedCommand typed) => _last.Typed = typed;

    /// <summary>Tells a failure: what happened, what is in the table now, what to type; of a connection also where its settings came
    /// from.</summary>
    public void Report(BulkLoadException failure, bool isVerbose = false)
    {
        Messages.Error(ErrorText.Of(failure, Typed, isVerbose));
        if (failure is ConnectException && _last.Connection is { } origins)
        {
            Messages.Line(origins);
        }
    }

    /// <summary>Files that say how to connect, of the last connection that was resolved.</summary>
    public IReadOnlyList<string> ConnectionFiles => _last.Files;

    private readonly Last _last = new();

    /// <summary>Shared by the copies of a context.</summary>
    private sealed class Last
    {
        public string? Connection { get; set; }

        public IReadOnlyList<string> Files { get; set; } = [];

        public TypedCommand? Typed { get; set; }
    }

    /// <summary>The connection that the command line and all other sources say; it is named should it fail.</summary>
    /// <exception cref="RequestException">a source cannot be read or understood</exception>
    public ResolvedConnection Resolve(ConnectionArguments connection, ParseResult words)
    {
        var resolved = new ConnectionResolver(Host, Messages.Warning)
            .Resolve(connection.Bind(words), connection.BindOptionFiles(words));
        (_last.Connection, _last.Files) = (resolved.Origins.Describe(resolved.Options), resolved.Files);
        return resolved;
    }

    /// <summary>The same, with a password that is asked for where that is wanted.</summary>
    /// <exception cref="RequestException">a source cannot be read or understood</exception>
    public ConnectionOptions Connect(ConnectionArguments connection, ParseResult words)
    {
        var resolved = Resolve(connection, words);
        var options = WithPassword(resolved.Options, resolved.AsksPassword);
        SystemTrust.PassOverUnlessNeeded(Host, options);
        return options;
    }

    /// <summary>The same connection, with the password that is asked for.</summary>
    /// <param name="asks">false: it is not asked for</param>
    /// <exception cref="RequestException">there is no terminal</exception>
    public ConnectionOptions WithPassword(ConnectionOptions connection, bool asks) => !asks ? connection
        : Host.AskPassword is { } ask ? connection with { Password = ask() }
        : throw new RequestException("there is no terminal to ask for the password on: use an option file, a login path or MYSQL_PWD");

    /// <summary>Asks a question that is answered by yes or no; null where there is no terminal to ask on.</summary>
    public Func<string, bool>? Confirm =>
        Host.Confirm is { } ask ? question => ask(LineWrap.Text(question, Host.TerminalWidth())) : null;
}
