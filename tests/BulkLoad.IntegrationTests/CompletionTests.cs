using System.Diagnostics;

namespace BulkLoad.IntegrationTests;

/// <summary>The script for bash in a real one, on a terminal of its own: what is typed, Tab, and what then is on the line.</summary>
public sealed class CompletionTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("bulkload-").FullName;

    public CompletionTests()
    {
        File.WriteAllText(Path.Combine(_folder, "people.csv"), "id,Full Name,zip\n1,Ada,2\n");
        Directory.CreateDirectory(Path.Combine(_folder, "sub"));
        var cache = Directory.CreateDirectory(Path.Combine(_folder, "cache", "bulkload")).FullName;
        File.WriteAllText(Path.Combine(cache, "tables"), "bulkload-tables 1\ndb:3306/shop\npeople\norders\n");

        // A name in PATH, as a user has it.
        var program = Path.Combine(_folder, "bulkload");
        File.WriteAllText(
            program, $"#!/bin/sh\nprintf '%s\\n' \"$@\" >> \"${{0%/*}}/passed\"\nexec "
                + $"{string.Join(' ', BulkLoadProcess.Program.Select(word => $"'{word}'"))} \"$@\"\n");
        if (OperatingSystem.IsWindows())
        {
            Assert.Skip("there is no bash");
            return;
        }

        File.SetUnixFileMode(program, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("bulkload imp\t", "bulkload|import")]
    [InlineData("bulkload import --on-d\tupd\t", "bulkload|import|--on-duplicate|update")]
    [InlineData("bulkload import --format=ts\t", "bulkload|import|--format=tsv")]
    [InlineData("bulkload import peo\t", "bulkload|import|people.csv")]
    [InlineData("bulkload import \"peo\t", "bulkload|import|people.csv")]
    [InlineData("bulkload import --report=peo\t", "bulkload|import|--report=people.csv")]
    [InlineData("bulkload seed su\t", "bulkload|seed|sub/")]
    [InlineData("bulkload import --table or\t", "bulkload|import|--table|orders")]
    [InlineData("bulkload import people.csv --columns id,z\t", "bulkload|import|people.csv|--columns|id,zip")]
    [InlineData("bulkload import people.csv --columns Fu\t", "bulkload|import|people.csv|--columns|Full Name")]
    [InlineData("bulkload import people.csv --map=zi\tplz", "bulkload|import|people.csv|--map=zip=plz")]
    [InlineData(
        "bulkload import mysql://u@h/db people.csv --null-value zi\tx", "bulkload|import|mysql://u@h/db|people.csv|--null-value|zip=x")]
    public async Task Tab_completes_in_bash(string typed, string expected) => Assert.Equal(expected, await TypeAsync(typed));

    /// <summary>Others can see what programs are started with.</summary>
    [Fact]
    public async Task A_password_is_not_passed_on()
    {
        Assert.Equal(
            "bulkload|import|-ps3cret|mysql://u:s3cret@h/db|--password=s3cret|people.csv",
            await TypeAsync("bulkload import -ps3cret mysql://u:s3cret@h/db --password=s3cret peo\t"));
        await TypeAsync("bulkload import --password=s3cret\t");
        await TypeAsync("bulkload import mysql://u:s3cret\t");
        var passed = await File.ReadAllTextAsync(Path.Combine(_folder, "passed"), TestContext.Current.CancellationToken);
        Assert.Contains("complete", passed, StringComparison.Ordinal);
        Assert.DoesNotContain("s3cret", passed, StringComparison.Ordinal);
    }

    /// <summary>Types a line, and prints its words in place of running it.</summary>
    private async Task<string> TypeAsync(string typed)
    {
        const string Mark = "words:";
        var start = new ProcessStartInfo("script", ["-qec", "bash --norc --noprofile -i", "/dev/null"])
        {
            WorkingDirectory = _folder,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment["PATH"] = $"{_folder}:{Environment.GetEnvironmentVariable("PATH")}";
        start.Environment["XDG_CACHE_HOME"] = Path.Combine(_folder, "cache");
        start.Environment["TERM"] = "dumb";
        start.Environment["PS1"] = "";
        using var shell = Start(start);
        await shell.StandardInput.WriteAsync(
            $"source <(bulkload completion bash); bind 'set enable-bracketed-paste off'\n{typed}\u0001printf '|%s' {Mark} \u0005; "
                + $"echo\nexit\n");
        shell.StandardInput.Close();
        var output = await shell.StandardOutput.ReadToEndAsync().WaitAsync(TimeSpan.FromMinutes(1));
        var line = output.Split('\n').LastOrDefault(line => line.Contains($"|{Mark}|", StringComparison.Ordinal))
            ?? $"|{Mark}|nothing in:\n{output}";
        return line[(line.IndexOf($"|{Mark}|", StringComparison.Ordinal) + Mark.Length + 2)..].TrimEnd('\r');
    }

    private static Process Start(ProcessStartInfo start)
    {
        try
        {
            return Process.Start(start)!;
        }
        catch (System.ComponentModel.Win32Exception) when (Environment.GetEnvironmentVariable("CI") != "true")
        {
            Assert.Skip("'script', which makes a terminal, is not here");
            throw;
        }
    }
}
