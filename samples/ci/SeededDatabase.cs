using System.Diagnostics;
using System.Text.Json;
using Xunit;

/// <summary>
/// xUnit: the database is as it was seeded before each test of a class that is [Collection("database")] and takes this in its constructor,
/// where it calls Reset().
/// </summary>
public sealed class SeededDatabase : IDisposable
{
    private readonly Process _program = Process.Start(new ProcessStartInfo("bulkload", ["seed", "reset", "-D", "app_test", "--serve"])
    {
        RedirectStandardInput = true,
        RedirectStandardOutput = true,
    })!;

    public void Reset()
    {
        _program.StandardInput.WriteLine("reset");
        var line = _program.StandardOutput.ReadLine() ?? throw new InvalidOperationException("bulkload has ended: see what it wrote to standard error");
        using var answer = JsonDocument.Parse(line);
        if (!answer.RootElement.GetProperty("ok").GetBoolean())
        {
            throw new InvalidOperationException(answer.RootElement.GetProperty("error").GetString());
        }
    }

    public void Dispose()
    {
        _program.StandardInput.Close();
        _program.WaitForExit();
        _program.Dispose();
    }
}

[CollectionDefinition("database", DisableParallelization = true)]
public sealed class DatabaseTests : ICollectionFixture<SeededDatabase>;
