using System.Diagnostics;
using System.Runtime.InteropServices;
using BulkLoad.Tests.Architecture;

namespace BulkLoad.IntegrationTests.Packages;

/// <summary>
/// What <c>eng/release.sh</c> makes of the program that the tests run, for this platform; and a Debian without .NET, in which
/// packages are installed. Made once for all tests of the class.
/// </summary>
public sealed class Release : IAsyncLifetime
{
    private readonly DirectoryInfo _work = Directory.CreateTempSubdirectory("bulkload-release-");
    private string? _root;

    /// <summary>As the build says: the version of all packages.</summary>
    public static string Version { get; } = typeof(Cli.Host.ThisProgram).Assembly.GetName().Version!.ToString(3);

    /// <summary>With SHA256SUMS.</summary>
    public string Folder => Path.Combine(_work.FullName, "release");

    public async ValueTask InitializeAsync()
    {
        if (BulkLoadProcess.Program is not [var program] || RuntimeInformation.RuntimeIdentifier != "linux-x64")
        {
            Assert.Skip("packages are made of the native program for linux-x64, which BULKLOAD_TEST_PROGRAM has to name");
            return;
        }

        var programs = _work.CreateSubdirectory("programs/linux-x64");
        File.Copy(program, Path.Combine(programs.FullName, "bulkload"));
        // Stands in for the program of Windows, which nothing here can start: its packages are looked at only.
        var stand = _work.CreateSubdirectory("programs/win-x64");
        await File.WriteAllTextAsync(Path.Combine(stand.FullName, "bulkload.exe"), "not compiled here");
        await ShellAsync(
            $"ALLOW_CHANGES=1 PLATFORMS='linux-x64 win-x64' PROGRAMS={programs.Parent!.FullName} eng/release.sh {Version} {Folder}",
            Repository.Root);
    }

    public ValueTask DisposeAsync()
    {
        _work.Delete(recursive: true);
        return ValueTask.CompletedTask;
    }

    /// <summary>An empty folder of one test.</summary>
    public string NewFolder(string name) => _work.CreateSubdirectory(name).FullName;

    /// <summary>A copy of the small Debian, for chroot. Without root the test is skipped.</summary>
    public async Task<string> NewRootAsync(string name)
    {
        if (Environment.UserName != "root")
        {
            Assert.Skip("chroot needs root");
        }

        if (_root is null)
        {
            var root = Path.Combine(_work.FullName, "debian");
            await ShellAsync($"eng/debian-root.sh {root}", Repository.Root);
            _root = root;
        }

        var copy = Path.Combine(_work.FullName, name);
        await ShellAsync($"cp -a {_root} {copy}", Repository.Root);
        return copy;
    }

    /// <summary>Runs a script of bash, which has to succeed.</summary>
    /// <param name="variables">of its environment, beside those of the tests</param>
    /// <returns>what it prints, errors too</returns>
    public static async Task<string> ShellAsync(string script, string folder, params (string Name, string Value)[] variables)
    {
        var (status, output) = await TryShellAsync(script, folder, variables);
        Assert.True(status == 0, $"{script}\nended with {status}:\n{output}");
        return output;
    }

    /// <summary>The same, whatever it ends with.</summary>
    public static async Task<(int Status, string Output)> TryShellAsync(
        string script, string folder, params (string Name, string Value)[] variables)
    {
        // A file, not a pipe: a compiler's server, which a build may leave behind, would hold a pipe open.
        var shown = Path.GetTempFileName();
        var start = new ProcessStartInfo("bash", ["-c", $"exec > {shown} 2>&1\nset -euo pipefail\n{script}"])
        {
            WorkingDirectory = folder,
            RedirectStandardInput = true,
        };
        // What these say would come into the program's reports, and CI's into its outputs.
        foreach (var name in start.Environment.Keys
            .Where(name => name.StartsWith("MYSQL", StringComparison.Ordinal) || name is "CI" or "GITHUB_ACTIONS").ToArray())
        {
            start.Environment.Remove(name);
        }

        foreach (var (name, value) in variables)
        {
            start.Environment[name] = value;
        }

        using var bash = Process.Start(start)!;
        bash.StandardInput.Close();
        await bash.WaitForExitAsync(TestContext.Current.CancellationToken);
        var output = await File.ReadAllTextAsync(shown, TestContext.Current.CancellationToken);
        File.Delete(shown);
        return (bash.ExitCode, output);
    }
}

[CollectionDefinition(nameof(Release))]
public sealed class ReleaseTests : ICollectionFixture<Release>;
