using System.CommandLine;
using BulkLoad.Cli.Ci;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Options;
using BulkLoad.Seeding;

namespace BulkLoad.Cli.Commands;

internal sealed class SeedCommand : JobCommand
{
    public static readonly CommandEntry Entry = new(
        "seed", "Fill the tables of a database from a folder of files, in the order of their foreign keys.",
        (_, context) => new SeedCommand(context));

    internal const string MapFile = "seed.yaml";

    private readonly Argument<string> _folder = new("DIR")
    {
        Description = "a folder with a file for each table: people.csv, "
        + "orders.part1.csv.gz, shop.items.jsonl; seed.yaml says what names cannot"
    };
    private readonly SeedArguments _seed = new();
    private readonly ConnectionArguments _connection = new();
    private readonly OutputArguments _output = new();
    private readonly CiArguments _ci = new();
    private readonly CommandContext _context;
    private readonly Lazy<ImportCommand> _import;

    public SeedCommand(CommandContext context) : base(Entry, "DIR",
    [
        ("bulkload seed testdata -D app_test", "each file into the table of its name; parents before children"),
        ("bulkload seed testdata -D app_test --schema schema.sql", "make the tables first, if there are none"),
        ("bulkload seed testdata -D app_test --mode sync", "make the tables equal to the files: insert, update, delete"),
        ("bulkload seed testdata -D app_test --mode sync --preview", "show what that would change"),
        ("bulkload seed testdata -D app_test --plan", "the order, and what is special; writes nothing"),
    ])
    {
        (_context, _import) = (context, new Lazy<ImportCommand>(() => new ImportCommand(context)));
        Arguments.Add(_folder);
        Group([_seed, _connection, _output, _ci]);
        CommandEntry.Add(this, context, depth: 1, [SeedInitCommand.Entry, SeedResetCommand.Entry]);
        SetAction((words, _) => RunAsync(words));
    }

    private async Task<int> RunAsync(ParseResult words)
    {
        var output = _output.Bind(words);
        if (output.WriteSpec is not null)
        {
            throw new RequestException("--write-spec is for import and check: leave it out");
        }

        var connection = _context.Connect(_connection, words);
        var request = _seed.Apply(
            new SeedRequest
            {
                Folder = words.GetValue(_folder)!,
                Connection = connection,
                CreateImport = entry => CreateImport(_import.Value, entry, connection),
            },
            words);
        RequireOutputs(words, _context, [], request.Folder);
        using var frame = new CommandFrame(_context, output, _ci.Bind(words));
        if (output.IsPlanOnly)
        {
            return (int)await frame.PlanAsync(new SeedJob(request, frame.Loggers).PlanAsync, SeedJson.Write,
                (to, plan) => SeedText.Write(to, plan, _context.Output.Width));
        }

        var report = await frame.RunAsync<SeedProgress, SeedReport>(
            Name, [request.Folder], (progress, stop) => new SeedJob(request, frame.Loggers, progress).RunAsync(stop), namesInputs: false);
        var code = ExitCodes.Of(report, _context.Signals.StoppedBy);
        return (int)frame.Tell(new Ending(code)
        {
            Files = [("--report", to => SeedJson.Write(to, report, code, _context.Typed))],
            Ci = CiResult.Of(report, code, _context.Typed),
            Failures = report.Failure is { } failure ? [failure] : [],
            Result = report.Plan is null ? null : to => SeedText.Write(to, report, frame.Width, frame.Marked),
        });
    }

    /// <summary>The import of a table's files: bound as <c>bulkload import</c> binds its command line, so that every option means the
    /// same.</summary>
    internal static LoadRequest CreateImport(ImportCommand import, SeedEntry entry, ConnectionOptions connection)
    {
        var ofAll = import.Groups.SelectMany(group => group.Options.Where(option => IsOfAllFiles(group, option)))
            .Select(option => option.Name[2..]).ToList();
        if (entry.Options.FirstOrDefault(option => ofAll.Contains(option.Key)).Key is { } wrong)
        {
            throw new RequestException($"{MapFile}: --{wrong} is not an option of one file: " + (wrong == "database"
                ? "write 'database: NAME' as a line of its own, or leave it out"
                : "give it to 'bulkload seed', or leave it out"));
        }

        var known = import.Options.Select(option => option.Name[2..]).ToList();
        if (entry.Options.FirstOrDefault(option => !known.Contains(option.Key)).Key is { } unknown)
        {
            throw new RequestException($"{MapFile}: bulkload import has no option --{unknown}{Suggestions.Hint(unknown, known)}");
        }

        foreach (var (name, value) in entry.Options)
        {
            var option = import.Options.First(one => one.Name == $"--{name}");
            if (value is null ? option.Arity.MinimumNumberOfValues > 0 && !option.TakesNoValue() : option.TakesNoValue())
            {
                throw new RequestException(
                    $"{MapFile}: --{name} {(value is null ? $"needs {option.NeededValue()}" : "takes no value: write true")}");
            }
        }

        List<string> line =
        [
            "--table", $"`{entry.Table.Replace("`", "``", StringComparison.Ordinal)}`",
            .. entry.Options.SelectMany(option => option.Value is { } value
                ? value.Length == 0
                ? [$"--{option.Key}", ""]
                : [$"--{option.Key}={value}"]
                : new[] { $"--{option.Key}" }),
            "--", .. entry.Files,
        ];
        var parsed = import.Parse(line);
        if (parsed.Errors.Count > 0)
        {
            throw new RequestException($"{MapFile}: {entry.Name}: {string.Join("; ", parsed.Errors.Select(error => error.Message))}");
        }

        import.RequireOutputs(parsed, import.Context, [], Path.GetDirectoryName(Path.GetFullPath(entry.Files[0])));
        var request = import.BindRequest(parsed);
        return request with
        {
            Connection = connection,
            Throttle = request.Throttle with { Replicas = ThrottleArguments.Replicas(parsed, connection) },
        };
    }

    /// <summary>Whether only the whole command has an option, and no single file: an option that changes no <see cref="LoadRequest"/> would
    /// be ignored silently.</summary>
    private static bool IsOfAllFiles(OptionGroup group, Option option) => group is OptionGroup<LoadRequest>
        ? option.Notes().IsOfAllFiles
        : option.Name != OutputArguments.Overwrite;
}

internal sealed class SeedInitCommand : JobCommand
{
    public static readonly CommandEntry Entry = new(
        "init",
        "Write a folder of seed files from a database: a CSV file a table, schema.sql, and seed.yaml where names do not say enough.",
        (_, context) => new SeedInitCommand(context));

    private readonly Argument<string> _folder = new("DIR") { Description = "the folder to write: made where it is not there, else empty" };
    private readonly SeedInitArguments _init = new();
    private readonly ConnectionArguments _connection = new();
    private readonly CommandContext _context;

    private SeedInitCommand(CommandContext context) : base(Entry, "DIR",
    [
        ("bulkload seed init seed/ -D shop", "writes all tables of shop into the folder seed"),
        ("bulkload seed init seed/ -D shop --only customers,orders", "writes two tables, and the schema of these"),
    ])
    {
        _context = context;
        Arguments.Add(_folder);
        Group([_init, _connection]);
        SetAction((words, _) => RunAsync(words));
    }

    private async Task<int> RunAsync(ParseResult words)
    {
        var (only, force) = _init.Apply(([], false), words);
        var connection = _context.Connect(_connection, words);
        var job = new SeedInitJob(connection, words.GetValue(_folder)!, only, force);
        _context.Signals.Listen();
        var report = await job.RunAsync(_context.Signals.Token);
        _context.Output.Print(to =>
        {
            foreach (var file in report.Files)
            {
                to.WriteLine(
                    file.Table is null ? file.Name : $"{file.Name}: {Amounts.Count(file.Rows, "row")}, {Amounts.Bytes(file.Bytes)}");
            }

            foreach (var note in report.Notes)
            {
                to.WriteLine(note);
            }
        });
        return (int)ExitCode.Done;
    }
}
