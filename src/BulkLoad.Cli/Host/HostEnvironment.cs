namespace BulkLoad.Cli.Host;

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

    /// <summary>Columns that a help may take: those of the terminal, if standard output is one, else 80, for a pager; never more than
    /// 100.</summary>
    public Func<int> HelpWidth { get; init; } = () => 100;

    /// <summary>Columns of standard output: those of the terminal, if it is one, else 80.</summary>
    public Func<int> OutputWidth { get; init; } = () => 80;

    /// <summary>Opens standard input.</summary>
    public Func<Stream> OpenInput { get; init; } = () => Stream.Null;

    /// <summary>Asks for a password without echo; null where there is no terminal to ask on.</summary>
    public Func<string>? AskPassword { get; init; }

    /// <summary>Asks a question that is answered by yes or no, in lines that fit; null where there is no terminal to ask on.</summary>
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

    /// <summary>How text for people goes out.</summary>
    public ShownText Shown { get; init; } = ShownText.Plain;

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
            HelpWidth = () => Console.IsOutputRedirected || Console.WindowWidth <= 0 ? 80 : Math.Min(100, Console.WindowWidth),
            OutputWidth = () => Console.IsOutputRedirected || Console.WindowWidth <= 0 ? 80 : Console.WindowWidth,
            OpenInput = Console.OpenStandardInput,
            AskPassword = Console.IsInputRedirected ? null : () => PasswordPrompt.Ask(error),
            Confirm = Console.IsInputRedirected || Console.IsErrorRedirected ? null
                : question => ConfirmationPrompt.Ask(question, error, Console.In),
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

/// <summary>What the program reads of the file system before a job starts.</summary>
internal interface IFiles
{
    bool Exists(string path);

    /// <exception cref="IOException">or <see cref="UnauthorizedAccessException"/>: it cannot be read</exception>
    byte[] Read(string path);

    /// <summary>The first bytes of a file, no more than asked for.</summary>
    /// <exception cref="IOException">or <see cref="UnauthorizedAccessException"/>: it cannot be read</exception>
    byte[] ReadStart(string path, int most);

    /// <summary>Full paths of a folder's files, in ordinal order.</summary>
    /// <exception cref="IOException">or <see cref="UnauthorizedAccessException"/>: it is no folder, or cannot be read</exception>
    IReadOnlyList<string> In(string folder);

    /// <summary>The permission bits, or none where the system has no such thing.</summary>
    /// <exception cref="IOException">or <see cref="UnauthorizedAccessException"/>: it is not there, or cannot be looked at</exception>
    UnixFileMode ModeOf(string path);
}

/// <summary>The machine's own file system.</summary>
internal sealed class MachineFiles : IFiles
{
    public bool Exists(string path) => Path.Exists(path);

    public byte[] Read(string path) => File.ReadAllBytes(path);

    public byte[] ReadStart(string path, int most)
    {
        // Opening a pipe would wait for its writer.
        if (!File.Exists(path) || new FileInfo(path).Length == 0)
        {
            throw new IOException("not a file with content");
        }

        using var file = File.OpenRead(path);
        var bytes = new byte[most];
        return bytes[..file.ReadAtLeast(bytes, most, throwOnEndOfStream: false)];
    }

    public IReadOnlyList<string> In(string folder)
    {
        var files = Directory.GetFiles(folder);
        Array.Sort(files, StringComparer.Ordinal);
        return files;
    }

    public UnixFileMode ModeOf(string path) => OperatingSystem.IsWindows() ? UnixFileMode.None : File.GetUnixFileMode(path);
}
