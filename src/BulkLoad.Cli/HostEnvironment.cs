using BulkLoad.Cli.Output;

namespace BulkLoad.Cli;

/// <summary>All that the program takes from its process: tests bring their own, and then need neither terminal nor files.</summary>
internal sealed record HostEnvironment
{
    /// <summary>Standard output: report, plan, help, version, and nothing else.</summary>
    public required TextWriter Output { get; init; }

    /// <summary>Standard error: errors, progress, log.</summary>
    public required TextWriter Error { get; init; }

    /// <summary>Standard error is a terminal that understands control sequences.</summary>
    public bool ErrorIsTerminal { get; init; }

    /// <summary>The same of standard output.</summary>
    public bool OutputIsTerminal { get; init; }

    /// <summary>Whether the user wants colours (no-color.org).</summary>
    public bool WantsColour => string.IsNullOrEmpty(Variable("NO_COLOR"));

    /// <summary>Columns of that terminal; asked for only where it is one.</summary>
    public Func<int> TerminalWidth { get; init; } = () => 80;

    /// <summary>Columns that a help may take: those of the terminal, if standard output is one, else 100; never more than 100.</summary>
    public Func<int> HelpWidth { get; init; } = () => 100;

    /// <summary>Columns of standard output: those of the terminal, if it is one, else 80.</summary>
    public Func<int> OutputWidth { get; init; } = () => 80;

    /// <summary>Opens standard input.</summary>
    public Func<Stream> OpenInput { get; init; } = () => Stream.Null;

    /// <summary>Asks for a password without echo; null where there is no terminal to ask on.</summary>
    public Func<string>? AskPassword { get; init; }

    /// <summary>Asks a question that is answered by yes or no; null where there is no terminal to ask on.</summary>
    public Func<string, bool>? Confirm { get; init; }

    /// <summary>An environment variable's value, or null.</summary>
    public Func<string, string?> Variable { get; init; } = _ => null;

    /// <summary>The account under which the process runs.</summary>
    public string LoginName { get; init; } = "";

    /// <summary>The account's home folder; empty where it has none.</summary>
    public string Home { get; init; } = "";

    public required IFiles Files { get; init; }

    /// <summary>Whether names of tables may be kept for completion: somebody types on a terminal.</summary>
    public bool KeepsTableNames { get; init; }

    /// <summary>Holds the process to so many bytes of managed memory.</summary>
    public Action<long> LimitMemory { get; init; } = _ => { };

    /// <summary>Tells TLS that nobody will need the CAs that the system trusts.</summary>
    public Action PassOverSystemTrust { get; init; } = () => { };

    public TimeProvider Time { get; init; } = TimeProvider.System;

    public static HostEnvironment OfThisProcess()
    {
        var utf8 = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);
        var error = new StreamWriter(Console.OpenStandardError(), utf8) { AutoFlush = true };
        return new HostEnvironment
        {
            Output = new StreamWriter(Console.OpenStandardOutput(), utf8),
            Error = error,
            ErrorIsTerminal = !Console.IsErrorRedirected && Environment.GetEnvironmentVariable("TERM") is not ("dumb" or null),
            OutputIsTerminal = !Console.IsOutputRedirected && Environment.GetEnvironmentVariable("TERM") is not ("dumb" or null),
            TerminalWidth = () => Console.WindowWidth is > 0 and var width ? width : 80,
            HelpWidth = () => Console.IsOutputRedirected || Console.WindowWidth is <= 0 or >= 100 ? 100 : Console.WindowWidth,
            OutputWidth = () => Console.IsOutputRedirected || Console.WindowWidth <= 0 ? 80 : Console.WindowWidth,
            OpenInput = Console.OpenStandardInput,
            AskPassword = Console.IsInputRedirected ? null : () => PasswordPrompt.Ask(error),
            Confirm = Console.IsInputRedirected || Console.IsErrorRedirected ? null : question =>
                ConfirmationPrompt.Ask(LineWrap.Text(question, Console.WindowWidth is > 0 and var width ? width : 80), error, Console.In),
            Variable = Environment.GetEnvironmentVariable,
            LoginName = Environment.UserName,
            Home = Environment.GetFolderPath(Environment.SpecialFolder.UserProfile),
            Files = new MachineFiles(),
            KeepsTableNames = !Console.IsErrorRedirected && !Console.IsInputRedirected,
            LimitMemory = LimitHeap,
            PassOverSystemTrust = RuntimeSettings.PassOverSystemTrust,
        };
    }

    /// <summary>The plan keeps what is in use below half of it; the collector, which would rather let garbage grow, is held to it by
    /// this.</summary>
    private static void LimitHeap(long bytes)
    {
        AppContext.SetData("GCHeapHardLimit", (ulong)bytes);
        GC.RefreshMemoryLimit();
    }
}
