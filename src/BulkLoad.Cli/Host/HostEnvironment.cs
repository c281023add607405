namespace BulkLoad.Cli.Host;

/// <summary>Everything that the program takes from its process: tests replace it, and need neither terminal nor files.</summary>
internal sealed record HostEnvironment
{
    /// <summary>Standard output: only report, plan, help and version.</summary>
    public required TextWriter Output { get; init; }

    /// <summary>Standard error: errors, progress, log.</summary>
    public required TextWriter Error { get; init; }

    /// <summary>Whether standard error is a terminal that understands control sequences.</summary>
    public bool ErrorIsTerminal { get; init; }

    public bool OutputIsTerminal { get; init; }

    /// <summary>See no-color.org.</summary>
    public bool WantsColour => string.IsNullOrEmpty(Variable("NO_COLOR"));

    /// <summary>Columns of standard error; only asked for if it is a terminal.</summary>
    public Func<int> TerminalWidth { get; init; } = () => 80;

    /// <summary>Columns of a help: those of the terminal, if standard output is one, else 80, for a pager; never more than 100.</summary>
    public Func<int> HelpWidth { get; init; } = () => 100;

    /// <summary>Columns of standard output: those of the terminal, if it is one, else 80.</summary>
    public Func<int> OutputWidth { get; init; } = () => 80;

    public Func<Stream> OpenInput { get; init; } = () => Stream.Null;

    /// <summary>Asks without echo; null: there is no terminal.</summary>
    public Func<string>? AskPassword { get; init; }

    /// <summary>Asks a yes-or-no question, in lines that fit; null: there is no terminal.</summary>
    public Func<string, bool>? Confirm { get; init; }

    public Func<string, string?> Variable { get; init; } = _ => null;

    public string LoginName { get; init; } = "";

    /// <summary>Empty: the account has none.</summary>
    public string Home { get; init; } = "";

    public required IFiles Files { get; init; }

    /// <summary>Whether names of tables may be kept for completion: somebody types on a terminal.</summary>
    public bool KeepsTableNames { get; init; }

    /// <summary>Limits managed memory; bytes.</summary>
    public Action<long> LimitMemory { get; init; } = _ => { };

    /// <summary>Makes TLS skip reading the CAs that the system trusts.</summary>
    public Action PassOverSystemTrust { get; init; } = () => { };

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

    /// <summary>The plan keeps what is in use below half of the limit; without the limit the collector would let garbage grow.</summary>
    private static void LimitHeap(long bytes)
    {
        AppContext.SetData("GCHeapHardLimit", (ulong)bytes);
        GC.RefreshMemoryLimit();
    }
}

/// <summary>What the program reads of the file system before a job starts. Methods throw IOException or
/// UnauthorizedAccessException.</summary>
internal interface IFiles
{
    bool Exists(string path);

    byte[] Read(string path);

    /// <summary>The first bytes of a file, at most that many.</summary>
    byte[] ReadStart(string path, int most);

    /// <summary>Full paths of a folder's files, in ordinal order.</summary>
    IReadOnlyList<string> In(string folder);

    /// <summary>None where the system has no permission bits.</summary>
    UnixFileMode ModeOf(string path);
}

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
