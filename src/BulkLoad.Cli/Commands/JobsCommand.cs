using System.CommandLine;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Jobs;
using static BulkLoad.Cli.Options.OptionRole;

namespace BulkLoad.Cli.Commands;

internal sealed class JobsCommand : JobCommand
{
    public const string Word = "jobs";

    public static readonly CommandEntry Entry = new(
        Word, "List, show and forget the jobs in the ledger, and restore indexes.", (_, context) => new JobsCommand(context));

    public static readonly string[] Verbs = ["list", "show", "forget", "restore"];

    private readonly Argument<string[]> _words = new("WORD")
    {
        Arity = ArgumentArity.ZeroOrMore,
        Description = "list (default); show JOB, with its chunks; forget JOB..., which removes jobs from the ledger; restore JOB, which "
            + "adds the indexes again that it dropped",
    };

    private readonly JobListArguments _list = new();
    private readonly ForgetArguments _forget = new();
    private readonly LedgerArguments _ledger = new();
    private readonly ConnectionArguments _connection = new();
    private readonly CommandContext _context;

    public JobsCommand(CommandContext context) : base(Entry, "[list | show JOB | forget JOB... | forget --complete | restore JOB]",
    [
        ("bulkload jobs -D shop", "the jobs of shop.bulkload_ledger: running, stopped, complete"),
        ("bulkload jobs --table people --state stopped -D shop", "what is to be finished: its command does so"),
        ("bulkload jobs show 5423fad5a3c750d3 -D shop", "who runs it, and every committed chunk"),
        ("bulkload jobs forget 5423fad5a3c750d3 -D shop", "removes its rows from the ledger; what it has done stays"),
        ("bulkload jobs forget --complete --older-than 90d -D shop", "all jobs that were completed that long ago"),
        ("bulkload jobs restore 5423fad5a3c750d3 -D shop", "adds the indexes again that it dropped (--rebuild-indexes)"),
    ])
    {
        _context = context;
        Arguments.Add(_words);
        Group([_list, _forget, _ledger, _connection]);
        SetAction((words, _) => RunAsync(words));
    }

    private async Task<int> RunAsync(ParseResult words)
    {
        var typed = words.GetValue(_words) ?? [];
        var connection = _context.Connect(_connection, words);
        var jobs = new JobList(connection, _ledger.Apply(null, words));
        var (most, filter, isJson) = _list.Bind(words);
        if ((most is not null || isJson) && typed is not ([] or ["list" or "show", ..]))
        {
            throw new RequestException($"{(isJson ? "--json" : "--limit")} is for 'jobs list' and 'jobs show': leave it out");
        }

        if (filter != JobFilter.All && typed is not ([] or ["list"]))
        {
            throw new RequestException($"{(filter.Table is null ? "--state" : "--table")} is for 'jobs list': leave it out");
        }

        _context.Signals.Listen();
        var stop = _context.Signals.Token;
        switch (typed)
        {
            case [] or ["list"]:
                var list = await jobs.ListAsync(most ?? JobList.DefaultJobs, filter, stop);
                _context.Output.Print(isJson
                    ? to => JobsJson.Write(to, list)
                    : to => JobsText.Write(to, list, filter, _context.Output.Width));
                break;
            case ["show", var id]:
                var (job, chunks, all) = await jobs.ShowAsync(id, most ?? JobList.DefaultChunks, stop);
                _context.Output.Print(isJson
                    ? to => JobsJson.Write(to, job, chunks, all)
                    : to => JobsText.Write(to, job, chunks, all, _context.Output.Width));
                break;
            case ["forget"] when _forget.Bind(words) is { } age:
                var (count, stay) = await jobs.ForgetCompleteAsync(age, stop);
                _context.Output.Print(to => JobsText.Write(to, [.. stay, $"{Amounts.Count(count, "complete job")} forgotten"]));
                break;
            case not ["forget"] when _forget.Bind(words) is not null:
                throw new RequestException("--complete is for 'jobs forget' without a JOB: leave one out");
            case ["forget", .. { Length: > 0 } ids]:
                var left = await jobs.ForgetAsync(ids, stop);
                _context.Output.Print(to => JobsText.Write(to, left));
                break;
            case ["restore", var id]:
                var confirm = _context.Confirm;
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

/// <summary>A null number was not typed.</summary>
internal sealed class JobListArguments : OptionGroup<(int? Max, JobFilter Filter, bool IsJson)>
{
    private static readonly (string, JobState)[] States =
    [
        ("stopped", JobState.Stopped), ("running", JobState.Running), ("complete", JobState.Complete),
    ];

    public JobListArguments() : base("Listing")
    {
        Text("--table", "NAME", "with list: only jobs of this table or database.table", None,
            (typed, name) => typed with { Filter = typed.Filter with { Table = name } })
            .Offers(Offer.Tables).InShortHelp(10).AlsoCalled("--into --table-name -t");
        Value("--state", "STATE", "with list: only jobs that are stopped, running or complete", None,
            text => TypedValue.Choice(text, States), (typed, state) => typed with { Filter = typed.Filter with { State = state } })
            .InShortHelp(110);
        Value("--limit", "N", "with list: this many jobs at most (default 100); with show: the last N chunks (default 1000)", None,
            text => (int)TypedValue.Whole(text, 1, JobList.MaxListed), (typed, most) => typed with { Max = most });
        Flag("--json", "with list and show: print JSON, for machines; see docs/cli-json.md", None, typed => typed with { IsJson = true })
            .InShortHelp(340);
    }

    public (int? Max, JobFilter Filter, bool IsJson) Bind(ParseResult words) => Apply((null, JobFilter.All, false), words);
}

internal sealed class ForgetArguments : OptionGroup<(bool Complete, TimeSpan? OlderThan)>
{
    public ForgetArguments() : base("Forgetting")
    {
        Flag("--complete", "with forget: all complete jobs, instead of named ones", None, typed => typed with { Complete = true })
            .InShortHelp(120);
        Value("--older-than", "AGE", "with --complete: only those completed at least this long ago, such as 12h, 90d, 8w",
            None, OptionParsers.Age, (typed, age) => typed with { OlderThan = age });
    }

    /// <summary>The age of complete jobs that are forgotten; null: named ones are.</summary>
    public TimeSpan? Bind(ParseResult words) => Apply(default, words) switch
    {
        (true, var age) => age ?? TimeSpan.Zero,
        (false, null) => null,
        _ => throw new RequestException("--older-than is for jobs that are complete: add --complete"),
    };
}

/// <summary>Where the ledger is; null: not typed.</summary>
internal sealed class LedgerArguments : OptionGroup<string?>
{
    public LedgerArguments() : base("Ledger") =>
        Text("--ledger-schema", "NAME", "the schema that has bulkload_ledger (default: --database)", None, (_, name) => name);
}
