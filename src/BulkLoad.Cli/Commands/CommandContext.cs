using System.CommandLine;
using BulkLoad.Cli.Connecting;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;

namespace BulkLoad.Cli.Commands;

internal sealed record CommandContext(HostEnvironment Host, JobFactory Jobs, Messages Messages, StopSignals Signals)
{
    /// <summary>The command line; empty: no command is called.</summary>
    public IReadOnlyList<string> Words { get; init; } = [];

    public StandardOutput Output { get; } = StandardOutput.Of(Host);

    /// <summary>Null: the command line was not understood yet.</summary>
    public TypedCommand? Typed => _last.Typed;

    /// <summary>For the commands that messages name.</summary>
    public void Remember(TypedCommand typed) => _last.Typed = typed;

    /// <summary>Prints a failure: what happened, what is in the table now, what to type; of a connection also where its settings come
    /// from.</summary>
    public void Report(BulkLoadException failure, bool isVerbose = false)
    {
        Messages.Error(ErrorText.Of(failure, Typed, isVerbose));
        if (failure is ConnectException && _last.Connection is { } origins)
        {
            Messages.Line(origins);
        }
    }

    /// <summary>Files with settings of the last resolved connection.</summary>
    public IReadOnlyList<string> ConnectionFiles => _last.Files;

    private readonly Last _last = new();

    /// <summary>Shared by the copies of a context.</summary>
    private sealed class Last
    {
        public string? Connection { get; set; }

        public IReadOnlyList<string> Files { get; set; } = [];

        public TypedCommand? Typed { get; set; }
    }

    /// <summary>Combines all sources; an error of the connection will name them.</summary>
    /// <exception cref="RequestException">a source cannot be read or understood</exception>
    public ResolvedConnection Resolve(ConnectionArguments connection, ParseResult words)
    {
        var resolved = new ConnectionResolver(Host, Messages.Warning)
            .Resolve(connection.Bind(words), connection.BindOptionFiles(words));
        (_last.Connection, _last.Files) = (resolved.Origins.Describe(resolved.Options), resolved.Files);
        return resolved;
    }

    /// <summary>Asks for the password where that is wanted.</summary>
    /// <exception cref="RequestException">a source cannot be read or understood</exception>
    public ConnectionOptions Connect(ConnectionArguments connection, ParseResult words)
    {
        var resolved = Resolve(connection, words);
        var options = WithPassword(resolved.Options, resolved.AsksPassword);
        SystemTrust.PassOverUnlessNeeded(Host, options);
        return options;
    }

    /// <param name="asks">false: nobody is asked</param>
    /// <exception cref="RequestException">there is no terminal</exception>
    public ConnectionOptions WithPassword(ConnectionOptions connection, bool asks) => !asks ? connection
        : Host.AskPassword is { } ask ? connection with { Password = ask() }
        : throw new RequestException("there is no terminal to ask for the password on: use an option file, a login path or MYSQL_PWD");

    /// <summary>Asks a yes-or-no question; null: there is no terminal.</summary>
    public Func<string, bool>? Confirm =>
        Host.Confirm is { } ask ? question => Messages.Ask(() => ask(LineWrap.Text(question, Host.TerminalWidth()))) : null;
}
