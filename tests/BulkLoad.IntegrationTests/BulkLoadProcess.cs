using System.Diagnostics;

namespace BulkLoad.IntegrationTests;

/// <summary>What a run of the program left behind.</summary>
/// <param name="ExitCode">0 to 255</param>
/// <param name="Output">standard output</param>
/// <param name="Error">standard error</param>
internal sealed record ProgramEnd(int ExitCode, string Output, string Error)
{
    /// <summary>Fails with everything that the program said.</summary>
    public void ShouldExitWith(int expected) =>
        Assert.True(ExitCode == expected, $"expected exit code {expected}, got {ExitCode}\n{this}");

    /// <summary>Standard error has this text.</summary>
    public void ShouldSay(string expected) =>
        Assert.True(Error.Contains(expected, StringComparison.Ordinal), $"expected on standard error: {expected}\n{this}");

    public override string ToString() => $"standard output:\n{Output}\nstandard error:\n{Error}";
}

/// <summary>
/// The real program while it runs, as a user starts it, connected by BULKLOAD_URL: the published one that
/// BULKLOAD_TEST_PROGRAM names, else <c>dotnet bulkload.dll</c>.
/// </summary>
internal sealed class BulkLoadProcess : IDisposable
{
    private static readonly TimeSpan Longest = TimeSpan.FromMinutes(2);

    private readonly Process _process;
    private readonly TestServer _server;
    private readonly Task<string> _output;
    private readonly StringBuilder _error = new();
    private readonly Task _errorRead;

    private BulkLoadProcess(Process process, TestServer server)
    {
        _process = process;
        _server = server;
        _output = process.StandardOutput.ReadToEndAsync();
        _errorRead = ReadErrorAsync();
    }

    /// <summary>The program's standard input.</summary>
    public Stream Input => _process.StandardInput.BaseStream;

    public bool HasEnded => _process.HasExited;

    /// <summary>Of its threads.</summary>
    public IEnumerable<string> ThreadNames => Directory.GetDirectories($"/proc/{_process.Id}/task")
        .Select(thread => File.ReadAllText(Path.Combine(thread, "comm")).Trim());

    /// <summary>The words that start it.</summary>
    public static string[] Program { get; } = Environment.GetEnvironmentVariable("BULKLOAD_TEST_PROGRAM") is { Length: > 0 } published
        ? [Path.GetFullPath(published)]
        : ["dotnet", Path.Combine(AppContext.BaseDirectory, "bulkload.dll")];

    /// <summary>Standard error up to now.</summary>
    public string ErrorSoFar
    {
        get
        {
            lock (_error)
            {
                return _error.ToString();
            }
        }
    }

    public static string UrlOf(Workplace place) => UrlOf(place.Server, place.Server.User, place.Server.Password, place.Database);

    public static string UrlOf(TestServer server, string user, string password, string? database) =>
        $"mysql://{Uri.EscapeDataString(user)}:{Uri.EscapeDataString(password)}@{server.Host}:{server.Port}/{database}";

    /// <param name="place">the working directory and, for messages, the server</param>
    /// <param name="url">BULKLOAD_URL</param>
    /// <param name="args">words after the program's name</param>
    public static BulkLoadProcess Start(Workplace place, string url, params string[] args) =>
        Start(place, url, new ProcessStartInfo(Program[0], [.. Program.Skip(1), .. args]));

    /// <summary>A copy of the program on the runtime that tests run on.</summary>
    /// <param name="words">the copy's bulkload.dll, and what comes behind it</param>
    /// <param name="variables">of its environment</param>
    public static BulkLoadProcess StartCopy(Workplace place, string[] words, params (string Name, string Value)[] variables)
    {
        var start = new ProcessStartInfo("dotnet", words);
        foreach (var (name, value) in variables)
        {
            start.Environment[name] = value;
        }

        return Start(place, UrlOf(place), start);
    }

    /// <summary>As a line that a shell reads, in which the program's name stands for it and $DB for the database.</summary>
    public static BulkLoadProcess StartLine(Workplace place, string line)
    {
        var start = new ProcessStartInfo("bash", ["-c", $"bulkload() {{ $BULKLOAD_PROGRAM \"$@\"; }}; {line}"]);
        start.Environment["BULKLOAD_PROGRAM"] = string.Join(' ', Program);
        return Start(place, UrlOf(place), start);
    }

    /// <summary>Sends a signal such as INT.</summary>
    public void Signal(string name)
    {
        using var kill = Process.Start("kill", ["-s", name, _process.Id.ToString()]);
        kill.WaitForExit();
    }

    /// <summary>Waits for the end.</summary>
    /// <returns>the most memory that the process had at a time, in bytes</returns>
    public async Task<long> PeakAsync()
    {
        var peak = 0L;
        while (!_process.HasExited)
        {
            try
            {
                var line = (await File.ReadAllLinesAsync($"/proc/{_process.Id}/status"))
                    .FirstOrDefault(line => line.StartsWith("VmHWM:", StringComparison.Ordinal));
                peak = line is null ? peak
                    : long.Parse(line.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries)[1], CultureInfo.InvariantCulture) * 1024;
            }
            catch (IOException)
            {
                // It has just ended.
            }

            await Task.Delay(10);
        }

        return peak;
    }

    /// <summary>Kills it, unless it ends before.</summary>
    /// <returns>false: it had ended before</returns>
    public async Task<bool> KillAfterAsync(TimeSpan time)
    {
        using var limit = new CancellationTokenSource(time);
        while (!HasEnded && !limit.IsCancellationRequested)
        {
            await Task.Delay(10);
        }

        if (HasEnded)
        {
            return false;
        }

        Signal("KILL");
        return true;
    }

    /// <summary>Waits for the end; a program that hangs is killed and fails the test.</summary>
    public async Task<ProgramEnd> EndAsync()
    {
        try
        {
            await _process.WaitForExitAsync().WaitAsync(Longest);
        }
        catch (TimeoutException)
        {
            _process.Kill(entireProcessTree: true);
            Assert.Fail($"the program did not end within {Longest}; it said:\n{ErrorSoFar}");
        }

        await _errorRead;
        var end = new ProgramEnd(_process.ExitCode, await _output, ErrorSoFar);
        Assert.False(end.ToString().Contains(_server.Password, StringComparison.Ordinal), $"the password is shown\n{end}");
        Assert.False(end.Error.Contains("internal error", StringComparison.Ordinal), $"an internal error\n{end}");
        return end;
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill(entireProcessTree: true);
        }

        _process.Dispose();
    }

    private static BulkLoadProcess Start(Workplace place, string url, ProcessStartInfo start)
    {
        // Whoever runs the tests in the background of a script ignores this signal, and the program would inherit that.
        start.ArgumentList.Insert(0, "--default-signal=INT");
        start.ArgumentList.Insert(1, start.FileName);
        start.FileName = "env";
        start.WorkingDirectory = place.Folder;
        start.RedirectStandardInput = true;
        start.RedirectStandardOutput = true;
        start.RedirectStandardError = true;

        // The option files and variables of whoever runs the tests would be taken for the user's.
        foreach (var name in start.Environment.Keys.Where(name =>
            name.StartsWith("MYSQL", StringComparison.Ordinal) || name.StartsWith("BULKLOAD_TEST", StringComparison.Ordinal)).ToArray())
        {
            start.Environment.Remove(name);
        }

        foreach (var name in new[] { "CI", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITLAB_CI" })
        {
            start.Environment.Remove(name);
        }

        start.Environment["HOME"] = place.Folder;
        start.Environment["BULKLOAD_URL"] = url;
        start.Environment["DB"] = place.Database;
        start.Environment["TZ"] = "UTC";

        // Short runs by the hundred: what pays off later only costs here.
        start.Environment["DOTNET_TieredPGO"] = "0";
        return new BulkLoadProcess(Process.Start(start)!, place.Server);
    }

    private async Task ReadErrorAsync()
    {
        var buffer = new char[4096];
        int count;
        while ((count = await _process.StandardError.ReadAsync(buffer)) > 0)
        {
            lock (_error)
            {
                _error.Append(buffer, 0, count);
            }
        }
    }
}
