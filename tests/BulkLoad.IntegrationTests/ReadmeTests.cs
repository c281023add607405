using System.Diagnostics;
using System.Text.RegularExpressions;

namespace BulkLoad.IntegrationTests;

/// <summary>
/// Runs the README as a reader would: every command of its <c>sh</c> and <c>console</c> blocks, in order, in one folder and
/// one database of its own. Under <c>sh</c> each command must succeed; a <c>console</c> block must also show what comes.
/// </summary>
public sealed partial class ReadmeTests
{
    private const string Url = "mysql://app:secret@127.0.0.1:3306/shop";

    /// <summary>Lines that build, test or start servers themselves: a run of the tests has done so already.</summary>
    private static readonly string[] NotRun = ["./quickstart.sh", "./test.sh", "eng/", "dotnet ", "export PATH="];

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Commands_of_the_readme_do_what_it_says(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        var root = FindRoot();
        using var reader = new Reader(server, database.Name, root);
        foreach (var block in Blocks(await File.ReadAllTextAsync(Path.Combine(root, "README.md"), TestContext.Current.CancellationToken)))
        {
            if (block.IsConsole)
            {
                var shown = await reader.ShowAsync(block.Commands);

                // The plan of the other server is another one; everything else is the same but for the server's name.
                if (server.IsMariaDb || !block.Text.Contains("--plan", StringComparison.Ordinal))
                {
                    Assert.Equal(Masked(block.Text), Masked(shown), ignoreLineEndingDifferences: true);
                }
            }
            else
            {
                await reader.RunAsync(block.Commands);
            }
        }
    }

    private static IEnumerable<Block> Blocks(string readme) => BlockPattern().Matches(readme).Select(match =>
    {
        var isConsole = match.Groups[1].Value == "console";
        var lines = match.Groups[2].Value.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        var commands = isConsole ? lines.Where(line => line.StartsWith("$ ", StringComparison.Ordinal)).Select(line => line[2..]) : lines;
        return new Block(isConsole, [.. commands.Where(command => !NotRun.Any(start => command.StartsWith(start, StringComparison.Ordinal)))], match.Groups[2].Value);
    });

    /// <summary>Without what differs from one machine, server or minute to the next.</summary>
    private static string Masked(string text) => VaryingPattern().Replace(text, match => match.Groups[1].Success ? "on SERVER by STRATEGY" : "VARIES");

    private static string FindRoot()
    {
        var folder = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(folder, "BulkLoad.sln")))
        {
            folder = Path.GetDirectoryName(folder) ?? throw new InvalidOperationException("the tests do not run within the repository");
        }

        return folder;
    }

    [GeneratedRegex(@"^```(sh|console)\n(.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline | RegexOptions.CultureInvariant)]
    private static partial Regex BlockPattern();

    [GeneratedRegex(@"(on \w+ \S+ \([^)]*\)( as \w+)? by \S+)|\b\d+\.\d+ s\b|(?<=time zone +)\S+", RegexOptions.CultureInvariant)]
    private static partial Regex VaryingPattern();

    private sealed record Block(bool IsConsole, IReadOnlyList<string> Commands, string Text);

    /// <summary>The README's reader at a shell.</summary>
    private sealed class Reader : IDisposable
    {
        private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("bulkload-readme-");
        private readonly string _database;
        private readonly string _url;
        private readonly string _programs;

        public Reader(TestServer server, string database, string root)
        {
            _database = database;
            _url = $"mysql://{Uri.EscapeDataString(server.User)}:{Uri.EscapeDataString(server.Password)}@{server.Host}:{server.Port}/{database}";
            _programs =
                $"bulkload() {{ {string.Join(' ', BulkLoadProcess.Program.Select(Quoted))} \"$@\"; }}\n"
                + $"mysql() {{ mariadb --no-defaults --skip-ssl --socket='{server.Socket}' --user={server.AdminUser} --default-character-set=utf8mb4 \"$@\"; }}\n";
            var samples = _folder.CreateSubdirectory("samples");
            foreach (var file in Directory.GetFiles(Path.Combine(root, "samples")))
            {
                File.Copy(file, Path.Combine(samples.FullName, Path.GetFileName(file)));
            }
        }

        /// <summary>Commands and what they print, as a terminal shows them.</summary>
        public async Task<string> ShowAsync(IEnumerable<string> commands)
        {
            var script = new StringBuilder("exec 2>&1\n");
            foreach (var command in commands)
            {
                // $? must be that of the command before: printf would take its place.
                script.Append("status=$?; printf '%s\\n' ").Append(Quoted("$ " + command)).Append("; (exit $status)\n").Append(command).Append('\n');
            }

            return (await BashAsync(script.ToString())).Output;
        }

        public async Task RunAsync(IEnumerable<string> commands)
        {
            var (status, output) = await BashAsync($"exec 2>&1\nset -euxo pipefail\n{string.Join('\n', commands)}\n");
            Assert.True(status == 0, output);
        }

        public void Dispose() => _folder.Delete(recursive: true);

        private static string Quoted(string text) => $"'{text.Replace("'", @"'\''", StringComparison.Ordinal)}'";

        private async Task<(int Status, string Output)> BashAsync(string script)
        {
            var run = script.Replace(Url, _url, StringComparison.Ordinal).Replace("shop", _database, StringComparison.Ordinal);
            var start = new ProcessStartInfo("bash", ["-c", _programs + run])
            {
                WorkingDirectory = _folder.FullName,
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
                StandardOutputEncoding = Encoding.UTF8,
            };
            foreach (var variable in start.Environment.Keys.Where(key => key.StartsWith("MYSQL", StringComparison.Ordinal)).ToArray())
            {
                start.Environment.Remove(variable);
            }

            start.Environment.Remove("CI");
            start.Environment["HOME"] = _folder.FullName;
            start.Environment["BULKLOAD_URL"] = _url;
            using var bash = Process.Start(start)!;
            bash.StandardInput.Close();
            var output = await bash.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
            await bash.WaitForExitAsync(TestContext.Current.CancellationToken);
            return (bash.ExitCode, output.Replace(_database, "shop", StringComparison.Ordinal));
        }
    }
}
