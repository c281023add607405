using System.Diagnostics;

namespace BulkLoad.IntegrationTests;

/// <summary>The reader of a page, at a shell in a folder with the samples: whatever the page calls <c>shop</c> is the database of the
/// test.</summary>
internal sealed class PageReader : IDisposable
{
    private const string Url = "mysql://app:secret@127.0.0.1:3306/shop";

    /// <summary>The account's options for the server's own client, which is the administrator's here.</summary>
    private const string Account = " --host=127.0.0.1 --user=app --password=secret";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("bulkload-page-");
    private readonly string _database;
    private readonly string _url;
    private readonly string _programs;

    public PageReader(TestServer server, string database, string root)
    {
        _database = database;
        _url =
            $"mysql://{Uri.EscapeDataString(server.User)}:{Uri.EscapeDataString(server.Password)}@{server.Host}:{server.Port}/{database}";
        _programs =
            $"bulkload() {{ {string.Join(' ', BulkLoadProcess.Program.Select(Quoted))} \"$@\"; }}\n"
            + $"mysql() {{ mariadb --no-defaults --skip-ssl --socket='{server.Socket}' --user={server.AdminUser} "
            + "--default-character-set=utf8mb4 \"$@\"; }\n";
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
            script.Append("status=$?; printf '%s\\n' ").Append(Quoted("$ " + command)).Append("; (exit $status)\n").Append(command)
                .Append('\n');
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
        var run = script.Replace(Url, _url, StringComparison.Ordinal).Replace(Account, "", StringComparison.Ordinal)
            .Replace("shop", _database, StringComparison.Ordinal);
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
