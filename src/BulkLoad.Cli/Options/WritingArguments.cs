using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using static BulkLoad.Cli.Options.OptionRole;

namespace BulkLoad.Cli.Options;

internal sealed class RejectArguments : OptionGroup<LoadRequest>
{
    /// <param name="defaultOfMaxRejects">for the help</param>
    public RejectArguments(string defaultOfMaxRejects) : base("Rejects", NextCommand.Rejects)
    {
        Value("--max-rejects", "N|N%",
            $"records that may be refused before the job stops; a share is checked at each chunk's end, from 10,000 records on (default: "
                + $"{defaultOfMaxRejects})",
            Way, OptionParsers.RejectLimit,
            (request, limit) => request with { MaxRejects = limit, GoesOnBeyondMaxRejects = false })
            .InShortHelp(210, "records that may be refused before the job stops")
            .AlsoCalled("--skip-errors --force --ignore-errors --continue-on-error --on-error --skip-bad --skip-bad-records -f",
                "--max-rejects N continues past bad records")
            .AlsoCalled("--max-bad-records --max-errors", "that is --max-rejects N");
        Output("--reject-file",
            "save refused records to FILE, as they are in the input and with its header, to be fixed and imported; the reasons are saved "
                + "next to it, in FILE with the extension .jsonl",
            Way, (request, file) => request with { RejectFile = file }, LoadRequest.ReasonsFileOf)
            .InShortHelp(220, "save refused records to FILE, to be fixed and imported").AlsoCalled("--error-file --bad-file");
        Output("--repairs-file", "list repaired records (see --dirt) in FILE, one JSON object each",
            Way, (request, file) => request with { RepairsFile = file });
    }
}

internal sealed class IdArguments : OptionGroup<LoadRequest>
{
    public IdArguments() : base("Generated ids") => Output("--ids-file",
        "save the ids that the server generates (AUTO_INCREMENT) in FILE, as csv: file, record, id; rows go by INSERT then, which is "
            + "slower than the fastest way",
        Way, (request, file) => request with { IdsFile = file });
}

internal sealed class CreateArguments : OptionGroup<LoadRequest>
{
    private static readonly (string, NewTypes)[] Types = [("roomy", NewTypes.Roomy), ("exact", NewTypes.Exact)];

    public CreateArguments() : base("New table and columns")
    {
        Optional("--create", "TYPES",
            "create the table first: each column gets a type that holds every value of the file, and larger ones to come; --create=exact: "
                + "the narrowest; the file is read twice",
            Identity, text => TypedValue.Choice(text, Types),
            (request, types) => request with { Create = true, ExactTypes = types == NewTypes.Exact })
            .OfAllFiles().InShortHelp(130, "create the table first, with types that hold every value of the file")
            .AlsoCalled("--create-table", "that is --create");
        Value("--primary-key", "COLUMN,...", "the new table's key (default: none)",
            Identity, OptionParsers.Names, (request, columns) => request with { PrimaryKey = columns })
            .Offers(Offer.Fields).OfAllFiles();
        Several("--type", "COLUMN=TYPE",
            "a new column's type in place of the inferred one, such as price=DECIMAL(12,4); "
                + "behind it can stand NULL, NOT NULL, UNSIGNED, CHARACTER SET, COLLATE and DEFAULT with a value; repeatable",
            Rule, Type, (request, types) => request with { ColumnTypes = types });
        Flag("--add-columns",
            "add a column to the table for each field that has none: NULL is allowed, the type is as with --create; the file is read "
                + "twice",
            Way, request => request with { AddColumns = true });
        Text("--temp-dir", "FOLDER",
            "folder for sorting records, and where --create and --add-columns keep what can be read only once, "
                + "such as standard input (default: the system's folder for temporary files)",
            Way, (request, folder) => request with { TempFolder = folder });
    }

    private static ColumnType Type(string text) => text.IndexOf('=', StringComparison.Ordinal) is > 0 and var at
        && text[..at].Trim() is { Length: > 0 } column && text[(at + 1)..].Trim() is { Length: > 0 } type
        ? new ColumnType(column, type)
        : throw new FormatException($"'{text}' is not COLUMN=TYPE, such as price=DECIMAL(12,4)");

    /// <summary>The new types have room for larger values than the file's, or are the narrowest.</summary>
    private enum NewTypes
    {
        Roomy,
        Exact,
    }
}

internal sealed class RefreshArguments : OptionGroup<LoadRequest>
{
    /// <param name="confirm">asks a question on the terminal; null: nobody is there</param>
    public RefreshArguments(Func<RefreshQuestion, bool>? confirm) : base("Full refresh")
    {
        Optional("--full-refresh", "WAY",
            "make the table exactly the file, at once: a table beside it is loaded, compared and then exchanged (swap), or what differs "
                + "is changed in one transaction (diff); --full-refresh=auto chooses (default)",
            Identity, text => TypedValue.Choice(text, [.. RefreshWays.All]),
            (request, way) => request with
            {
                Refresh = new RefreshOptions(way) { Confirm = confirm },
            })
            .InShortHelp(140, "make the table exactly the file, at once and verified");
        Flag("--keep-old", "with --full-refresh=swap: keep the former table, under the name that the report says",
            Way, request => request with { Refresh = Given(request, "--keep-old") with { KeepOld = true } });
        Value("--min-rows", "N%",
            $"with --full-refresh: a file with fewer rows than this share of the table's does not replace it (default: "
                + $"{RefreshOptions.UsualMinRows:0}%)",
            Way, Percent, (request, share) => request with { Refresh = Given(request, "--min-rows") with { MinRows = share } });
        Text("--partition", "NAME", "with --full-refresh: only this partition becomes the file, by EXCHANGE PARTITION", Identity,
            (request, name) => request with { Refresh = Given(request, "--partition") with { Partition = name } });
        Flag("--yes", "with --full-refresh: do not ask on the terminal before the table is changed", Way,
            request => request with { Refresh = Given(request, "--yes") with { Confirm = null } });
    }

    private static RefreshOptions Given(LoadRequest request, string option) => request.Refresh
        ?? throw new RequestException($"{option}: is for --full-refresh: add that, or leave this out");

    private static double Percent(string text) => text.EndsWith('%')
        && double.TryParse(text[..^1], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var share)
        ? share : throw new FormatException($"'{text}' is not a share, such as 90%");
}

internal sealed class OrderArguments : OptionGroup<LoadRequest>
{
    public OrderArguments() : base("Order") => Flag("--no-sort",
        "keep the file's order (default: a file that is not in primary key order is sorted first, if that pays and cannot change "
            + "the result; --plan says whether, and why)",
        Way, request => request with { NoSort = true });
}

internal sealed class IndexArguments : OptionGroup<LoadRequest>
{
    public IndexArguments() : base("Indexes") => Flag("--rebuild-indexes",
        "drop secondary indexes before the load and rebuild them afterwards; other connections cannot use them meanwhile (--plan "
            + "says which, and what to know)",
        Way, request => request with { RebuildIndexes = true });
}

internal sealed class VerifyArguments : OptionGroup<LoadRequest>
{
    /// <param name="isAlone">whether the command does nothing else</param>
    public VerifyArguments(bool isAlone = false) : base("Verification")
    {
        Value("--verify", "HOW",
            isAlone
                ? "count (each key has its row), or checksum (default: which holds the record's values)"
                : "check the rows again before they are committed: count (each key has its row), checksum (which holds the record's "
                    + "values), none (default)",
            Way, text => TypedValue.Choice<VerifyMode>(
                text, [.. VerifyModes.All.Where(word => !isAlone || word.Mode != VerifyMode.None)]),
            (request, mode) => request with { Verify = mode });
        if (isAlone)
        {
            Value("--key", "COLUMN,...",
                "the columns that find a record's row (default: those of the primary key, or of a unique one whose columns the file has)",
                None, OptionParsers.Names, (request, columns) => request with { Key = request.Key with { Columns = columns } })
                .Offers(Offer.Fields).InShortHelp(40);
        }
    }
}

internal sealed class ProfileArguments : OptionGroup<LoadRequest>
{
    public ProfileArguments(IFiles files) : base("Profile") => Input("--profile",
        "plan with what 'bulkload bench tune --profile FILE' has measured on this server: strategy, sizes of batches, sessions; "
            + "see docs/bench.md",
        Way, (request, path) => request with { Profile = Read(files, path) });

    private static UsedProfile Read(IFiles files, string path)
    {
        try
        {
            return new UsedProfile(path, ProfileJson.Read(files.Read(path), path));
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw new RequestException($"--profile: '{path}' cannot be read: {FileFault.Describe(fault, path)}");
        }
    }
}

/// <summary>Declared behind <see cref="RejectArguments"/>.</summary>
internal sealed class PreviewArguments : OptionGroup<LoadRequest>
{
    /// <summary>Limit of the shown changes of each kind.</summary>
    private const int Shown = 10;

    public PreviewArguments() : base("Preview")
    {
        Flag("--preview", $"count and show what would be changed, the first {Shown} rows of each kind, and write nothing", Way,
            request => request with
            {
                Mode = JobMode.Preview,
                PreviewRows = Shown,
                GoesOnBeyondMaxRejects = request.MaxRejects.Percent is null,
            })
            .OfAllFiles().InShortHelp(80);
        Output("--preview-file", "with --preview: all rows that would be changed, as CSV", Way,
            (request, file) => request.Mode == JobMode.Preview
                ? request with { PreviewFile = file }
                : throw new RequestException("--preview-file: without --preview there is nothing to write to it: add that"))
            .OfAllFiles();
    }
}
