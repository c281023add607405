using System.CommandLine;
using BulkLoad.Cli.Ci;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Suggesting;
using BulkLoad.Seeding;
using static BulkLoad.Cli.Options.OptionRole;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload check FILE... --table T</c>: judges every record as an import would, and writes nothing. <c>bulkload check DIR
/// --schema FILE</c>: judges a folder as a seed would, without a server.</summary>
internal sealed class CheckCommand(CommandContext context) : FileCommand(
    Entry, context, new TargetArguments(), new MappingArguments(),
    new RejectArguments("a check continues to the end, and exits with 4 if an import would have stopped"), [new CheckArguments()],
    [
        ("bulkload check people.csv -D shop", "which records would be refused, and why; nothing is sent"),
        ("bulkload check people.csv -D shop --reject-file bad.csv", "all of them in a file, to be fixed"),
        ("bulkload check people.csv -D shop --suggest",
            "the import command that takes all records: encoding, formats of dates and numbers"),
        ("bulkload check people.csv -D shop --on-server", "also what the server says; rolled back at the end"),
        ("bulkload check people.csv -D shop --max-rejects 100", "stop at the 101st"),
        ("bulkload check testdata --schema schema.sql", "a folder, as 'bulkload seed' would load it; without a server"),
    ])
{
    public static readonly CommandEntry Entry = new(
        "check", "Validate files against a table, without writing.", (_, context) => new CheckCommand(context));

    public override string? Hint => HintOfForms;

    protected override Task<int> RunAsync(ParseResult words)
    {
        var files = FilesOf(words);
        var folder = files.FirstOrDefault(Directory.Exists);
        if (words.GetValue<bool>(CheckArguments.Suggest))
        {
            return SuggestAsync(words);
        }

        return (folder, words.GetValue<string>(CheckArguments.Schema)) switch
        {
            (null, null) => base.RunAsync(words),
            ({ } named, null) =>
                throw new RequestException($"{named} is a folder: add --schema FILE.sql to judge it without a server, or name its files "
                    + "one by one to check them against a table"),
            (_, "") => throw new RequestException("--schema: the file name is empty"),
            (null, _) => throw new RequestException(files is [var file]
                ? $"--schema is for a folder, and {file} is none: 'bulkload check DIR --schema FILE.sql' judges a folder without a "
                    + "server; leave out --schema to check a file against a table"
                : "--schema needs one folder: bulkload check DIR --schema FILE.sql"),
            ({ } named, { } schema) => files.Length == 1 ? CheckFolderAsync(named, schema, words)
                : throw new RequestException($"--schema judges one folder by itself: name only {named}"),
        };
    }

    /// <summary>Looks for the options by which an import takes all records.</summary>
    private async Task<int> SuggestAsync(ParseResult words)
    {
        var (output, ci) = BindOutputs(words);
        if (output.IsPlanOnly || output.WriteSpec is not null || output.Report is not null || words.GetValue<bool>(CheckArguments.OnServer)
            || words.GetValue<string>(CheckArguments.Schema) is not null || ci with { Annotate = AnnotateMode.Auto } != new CiSettings())
        {
            throw new RequestException(
                "--suggest prints options for people: leave out outputs for machines, plans, --on-server and --schema");
        }

        var (request, asksPassword) = BindAll(words, output);
        request = request with { Connection = Context.WithPassword(request.Connection, asksPassword) };
        using var frame = new CommandFrame(Context, output, ci);
        var typed = TypedCommandOf(words);
        string[] line = [ImportCommand.Word, .. typed.Files, .. typed.Options, .. typed.Rejects];
        var report = await frame.RunAsync<LoadProgress, SuggestReport>(Name, request.Files,
            (progress, stop) => new SuggestJob(request, more => Import(line, more), frame.Loggers, progress).RunAsync(stop));
        Context.Output.Print(to => SuggestText.Write(to, report, [ThisProgram.Name, .. line]));
        return (int)(report.IsSettled ? ExitCode.Done
            : report.Commands is [{ Check: { Failure: null, IsBeyondMaxRejects: false } }] ? ExitCode.DoneWithRejects
            : ExitCode.TooManyRejects);
    }

    /// <summary>Binds the words of a suggested command as the program binds those of a shell.</summary>
    /// <exception cref="RequestException">nobody can type it</exception>
    private LoadRequest Import(IReadOnlyList<string> typed, IReadOnlyList<string> more)
    {
        if (more.Any(word => word.Any(letter => char.IsControl(letter) || char.GetUnicodeCategory(letter) == UnicodeCategory.Format)))
        {
            throw new RequestException("a word has a character that cannot be seen");
        }

        string[] line = [.. typed, .. more];
        var read = new CommandLine(new BulkLoadCommand(Context with { Words = line }), line);
        return read.Errors is [var wrong, ..] ? throw new RequestException(wrong) : ((FileCommand)read.Command).BindRequest(read.Parsed);
    }

    private async Task<int> CheckFolderAsync(string folder, string schema, ParseResult words)
    {
        var known = OutputOptions.Select(option => option.Name).Append(CheckArguments.Schema).Append(CheckArguments.TempFolder).ToList();
        if (Options.FirstOrDefault(option => !known.Contains(option.Name) && words.GetResult(option) is { Implicit: false }) is { } unfit)
        {
            throw new RequestException($"{unfit.Name} is not for a folder, which is judged without a server: leave it out; options of its "
                + $"files stand in {SeedCommand.MapFile}");
        }

        var (output, ci) = BindOutputs(words);
        if (output.WriteSpec is not null || output.IsPlanOnly)
        {
            throw new RequestException($"{(output.WriteSpec is not null ? "--write-spec" : output.PlanJson ? "--plan-json" : "--plan")} "
                + "is not for a folder: leave it out");
        }

        RequireOutputs(words, Context, [], folder);
        using var frame = new CommandFrame(Context, output, ci);
        var import = new ImportCommand(Context);
        var request = new SeedCheckRequest
        {
            Folder = folder,
            Schema = schema,
            TempFolder = words.GetValue<string>(CheckArguments.TempFolder),
            CreateImport = entry => SeedCommand.CreateImport(import, entry, new()),
        };
        var report = await frame.RunAsync<SeedProgress, SeedCheckReport>(
            Name, [folder], (progress, stop) => new SeedCheckJob(request, frame.Loggers, progress).RunAsync(stop), namesInputs: false);
        var code = ExitCodes.Of(report, Context.Signals.StoppedBy);
        return (int)frame.Tell(new Ending(code)
        {
            Files = [("--report", to => SeedCheckJson.Write(to, report, code, Context.Typed))],
            Ci = CiResult.Of(report, code, Context.Typed),
            Failures = [.. report.Tables.Select(table => table.Failure).Prepend(report.Failure).OfType<BulkLoadException>().Distinct()],
            Result = report.Tables.Count == 0 ? null : to => SeedCheckText.Write(to, report, output.IsVerbose, frame.Width),
        });
    }

    protected override LoadRequest Begin(LoadRequest request) => request with { Mode = JobMode.Check, GoesOnBeyondMaxRejects = true };
}

internal sealed class CheckArguments : OptionGroup<LoadRequest>
{
    public const string OnServer = "--on-server";
    public const string Suggest = "--suggest";
    public const string Schema = "--schema";
    public const string TempFolder = "--temp-dir";

    public CheckArguments() : base("Check")
    {
        Flag(OnServer,
            "also ask the server: send everything in one transaction and roll it back (default: nothing is sent, and what only the server "
                + "can decide is undecided)",
            None, request => request with { Mode = JobMode.ServerCheck })
            .InShortHelp(260, "also ask the server, in a transaction that is rolled back");
        Flag(Suggest,
            "read every record, and print the import command that takes all of them: encoding, formats of dates and numbers, words "
                + "for NULL, true and false",
            None)
            .AlsoCalled("--create", "leave it out: a check, and its --suggest, do so for a table that is not there");
        Text("--strategy", "NAME",
            "with --on-server: auto (default), or the strategy to take; one that does not fit is refused, never replaced",
            None, (request, name) => request with { Strategy = name == "auto" ? null : name })
            .Offers(Offer.Strategies);
        Text(TempFolder, "DIR",
            "folder for sorting keys that do not fit into memory, and for standard input (default: the system's, $TMPDIR or /tmp)",
            None, (request, folder) => request with { TempFolder = folder });
        Value("--max-memory", "SIZE", WorkArguments.MaxMemory, None, OptionParsers.Size,
            (request, bytes) => request with { MaxMemory = bytes });
        Input(Schema,
            "judge a folder without a server, by the tables that this file of SQL makes: bulkload check DIR --schema schema.sql", None)
            .InShortHelp(60).AlsoCalled("--create-table", "--schema FILE has the SQL that makes the tables");
    }
}
