using System.CommandLine;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Seeding;

namespace BulkLoad.Cli.Commands;

/// <summary>Puts back the tables that tests have changed; with <c>--serve</c> for each line of standard input.</summary>
internal sealed class SeedResetCommand : JobCommand
{
    public static readonly CommandEntry Entry = new(
        "reset", "Put back the tables of a test database that were touched since they were seeded.",
        (_, context) => new SeedResetCommand(context));

    private readonly Argument<string?> _folder = new("DIR")
    {
        Arity = ArgumentArity.ZeroOrOne,
        Description = "the folder that the database was seeded from; its seed.yaml may name the database",
    };

    private readonly ResetArguments _reset = new();
    private readonly ConnectionArguments _connection = new();
    private readonly CommandContext _context;

    private SeedResetCommand(CommandContext context) : base(Entry, "[DIR]",
    [
        ("bulkload seed reset -D app_test", "between two tests: all tables are as they were seeded"),
        ("bulkload seed reset -D app_test --serve",
            "for a test suite: a reset for each line of standard input, answered by a line of JSON"),
    ])
    {
        _context = context;
        Arguments.Add(_folder);
        Group([_reset, _connection]);
        SetAction((words, _) => RunAsync(words));
    }

    private async Task<int> RunAsync(ParseResult words)
    {
        var connection = _context.Connect(_connection, words);
        var database = words.GetValue(_folder) is { } folder ? SeedRequest.DatabaseOf(folder) : null;
        var options = _reset.Apply(new SeedResetOptions { Database = database }, words);
        await using var job = new SeedResetJob(connection, options, _context.Host.Time);
        _context.Signals.Listen();
        if (words.GetValue<bool>(ResetArguments.Serve))
        {
            await job.OpenAsync(_context.Signals.Token);
            await new ResetServer(job, _context).RunAsync();
            return (int)ExitCode.Done;
        }

        var report = await job.RunAsync(_context.Signals.Token);
        _context.Output.Print(to => ResetText.Write(to, report));
        return (int)ExitCode.Done;
    }
}

/// <summary>Runs a reset for each line of standard input, so that a test suite pays neither for a process nor for a connection between two
/// tests.</summary>
internal sealed class ResetServer(SeedResetJob job, CommandContext context)
{
    /// <summary>A line is this word, or empty.</summary>
    private const string Reset = "reset";

    /// <summary>Works until the input ends.</summary>
    /// <exception cref="OperationCanceledException">a signal has stopped it</exception>
    public async Task RunAsync()
    {
        var stop = context.Signals.Token;
        using var input = new StreamReader(context.Host.OpenInput(), Encoding.UTF8);
        while (await ReadAsync(input, stop) is { } line)
        {
            try
            {
                if (line.Trim() is not ("" or Reset))
                {
                    throw new RequestException($"--serve: a line is empty or '{Reset}': nothing was changed");
                }

                var report = await job.RunAsync(stop);
                context.Output.PrintJson(to => ResetText.WriteJson(to, report));
            }
            catch (BulkLoadException failure)
            {
                context.Output.PrintJson(to => ResetText.WriteJson(to, failure, ExitCodes.Of(failure), context.Typed));
            }
        }
    }

    /// <summary>Reading cannot be cancelled, and the process ends anyway.</summary>
    private static Task<string?> ReadAsync(StreamReader input, CancellationToken stop) => Task.Run(input.ReadLine, stop).WaitAsync(stop);
}
