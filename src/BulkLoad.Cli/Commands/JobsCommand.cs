using System.CommandLine;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Jobs;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload jobs</c>: what the ledger knows of jobs that were started.</summary>
internal sealed class JobsCommand : JobCommand
{
    /// <summary>What calls it.</summary>
    public const string Word = "jobs";

    /// <summary>The words that say what to do.</summary>
    public static readonly string[] Verbs = ["list", "show", "forget", "restore"];

    private readonly Argument<string[]> _words = new("WORD")
    {
        Arity = ArgumentArity.ZeroOrMore,
        Description = "list (default); show JOB, with its chunks; forget JOB..., which removes jobs from the ledger; restore JOB, which "
            + "adds the indexes again that it dropped",
    };

    private readonly ForgetArguments _forget = new();
    private readonly LedgerArguments _ledger = new();
    private readonly ConnectionArguments _connection = new();
    private readonly CommandContext _context;

    public JobsCommand(CommandContext context) : base(Word, "List, show and forget the jobs in the ledger, and restore indexes.")
    {
        _context = context;
        Arguments.Add(_words);
        Group([_forget, _ledger, _connection]);
        SetAction((words, _) => RunAsync(words));
    }

    /// <inheritdoc/>
    public override string Words => "[list | show JOB | forget JOB... | forget --complete | restore JOB]";

    /// <inheritdoc/>
    public override IReadOnlyList<(string Line, string Does)> Examples =>
    [
        ("bulkload jobs -D shop", "the jobs of shop.bulkload_ledger: running, stopped, complete"),
        ("bulkload jobs show 5423fad5a3c750d3 -D shop", "who runs it, and every committed chunk"),
        ("bulkload jobs forget 5423fad5a3c750d3 -D shop", "removes its rows from the ledger; what it has done stays"),
        ("bulkload jobs forget --complete --older-than 90d -D shop", "all jobs that were completed that long ago"),
        ("bulkload jobs restore 5423fad5a3c750d3 -D shop", "adds the indexes again that it dropped (--rebuild-indexes)"),
    ];

    private async Task<int> RunAsync(ParseResult words)
    {
        var typed = words.GetValue(_words) ?? [];
        var connection = _context.Connect(_connection, words);
        var jobs = new JobList(connection, _ledger.Bind(words));
        _context.Signals.Listen();
        var stop = _context.Signals.Token;
        switch (typed)
        {
            case [] or ["list"]:
                var list = await jobs.ListAsync(stop);
                _context.Output.Print(to => JobsText.Write(to, list, _context.Output.Width));
                break;
            case ["show", var id]:
                var (job, chunks) = await jobs.ShowAsync(id, stop);
                _context.Output.Print(to => JobsText.Write(to, job, chunks, _context.Output.Width));
                break;
            case ["forget"] when _forget.Bind(words) is { } age:
                var count = await jobs.ForgetCompleteAsync(age, stop);
                _context.Output.Print(to => to.WriteLine($"{Amounts.Count(count, "complete job")} forgotten"));
                break;
            case not ["forget"] when _forget.Bind(words) is not null:
                throw new RequestException("--complete is for 'jobs forget' without a JOB: leave one out");
            case ["forget", .. { Length: > 0 } ids]:
                await jobs.ForgetAsync(ids, stop);
                break;
            case ["restore", var id]:
                var confirm = _context.Surroundings.Confirm;
                var done = await jobs.RestoreAsync(id, confirm is null ? null : statement => confirm($"run {statement}? [y/N] "), stop);
                _context.Output.Print(to => JobsText.Write(to, done));
                break;
            case [("show" or "forget" or "restore") and var what, ..]:
                throw new RequestException($"jobs {what} takes the id of {(what == "forget" ? "one job or of several" : "one job")}");
            default:
                throw new RequestException($"jobs: '{string.Join(' ', typed)}' is none of list, show JOB, forget JOB... and restore JOB");
        }

        return (int)ExitCode.Done;
    }
}
