using BulkLoad.Cli.Output;
using BulkLoad.Core.Seeding;

namespace BulkLoad.Cli.Commands;

/// <summary>
/// A reset for each line of standard input, so that a test suite pays neither for a process nor for a connection between two tests.
/// </summary>
internal sealed class ResetServer(SeedResetJob job, CommandContext context)
{
    /// <summary>What a line may say, apart from nothing.</summary>
    private const string Reset = "reset";

    /// <summary>Works until the input ends.</summary>
    /// <exception cref="OperationCanceledException">a signal has stopped it</exception>
    public async Task RunAsync()
    {
        var stop = context.Signals.Token;
        using var input = new StreamReader(context.Surroundings.OpenInput(), Encoding.UTF8);
        while (await ReadAsync(input, stop) is { } line)
        {
            try
            {
                if (line.Trim() is not ("" or Reset))
                {
                    throw new RequestException($"--serve: a line is empty or '{Reset}': nothing was changed");
                }

                var report = await job.RunAsync(stop);
                context.Output.PrintJson(to => ResetWords.WriteJson(to, report));
            }
            catch (BulkLoadException failure)
            {
                context.Output.PrintJson(to => ResetWords.WriteJson(to, failure, ExitCodes.Of(failure)));
            }
        }
    }

    /// <summary>Reading cannot be broken off, and the process ends anyway.</summary>
    private static Task<string?> ReadAsync(StreamReader input, CancellationToken stop) => Task.Run(input.ReadLine, stop).WaitAsync(stop);
}
