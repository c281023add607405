using BulkLoad.Core.Options;
using static BulkLoad.Cli.Options.OptionRole;

namespace BulkLoad.Cli.Options;

/// <summary>Which rows are meant, and how many there may be. Declared behind the form of the input, which <c>--ids</c> changes.</summary>
internal sealed class KeyArguments : OptionGroup<LoadRequest>
{
    public const string Ids = "--ids";

    public const string Yes = "--yes";

    private static readonly (string, Counted)[] Counts = [("exact", Counted.Changes), ("matched", Counted.Matches)];

    /// <param name="deletes">whether the rows are deleted; otherwise they change</param>
    public KeyArguments(bool deletes) : base("Keys", NextCommand.Reading)
    {
        if (deletes)
        {
            Input(Ids,
                "the keys, one per line, without quotes; blanks around them are ignored; .csv, .tsv and .jsonl files are read as such; - "
                    + "is standard input",
                Identity, (request, file) => file.Length == 0 ? throw new RequestException($"{Ids}: the file name is empty") : request with
                {
                    Key = request.Key with { AreIds = true },
                    Source = request.Source.Format != InputFormat.Auto
                        ? request.Source
                        : request.Source with { Format = InputFormat.Keys },
                })
                .InShortHelp(30).In(NextCommand.Same);
        }

        Value("--key", "COLUMN,...", "the columns that find a row (default: the primary key's)", Identity, OptionParsers.Names,
            (request, columns) => request with { Key = request.Key with { Columns = columns } })
            .Offers(Offer.Fields).InShortHelp(40);
        if (deletes)
        {
            Flag("--ranges", "with --ids: a line such as 10..20 means every number from 10 to 20", Rule,
                request => request with { Source = request.Source with { ReadsRanges = true } });
        }

        Flag("--ignore-missing", "count keys that no row has, instead of refusing their records", Way,
            request => request with { Key = request.Key with { IgnoreMissing = true } });
        Flag("--allow-multiple", "accept a key that no unique index covers: one record can find several rows", Way,
            request => request with { Key = request.Key with { AllowMultiple = true } });
        Flag("--allow-scan", "accept a key that no index begins with: every statement reads the whole table", Way,
            request => request with { Key = request.Key with { AllowScan = true } });
        Text("--where", "CONDITION", "an SQL condition that a row must also meet; other rows count as missing", Rule,
            (request, condition) => request with { Key = request.Key with { Where = condition } });
        Value("--expect", "N",
            $"how many rows must be {(deletes ? "deleted" : "found")}, exactly; otherwise nothing is changed: one transaction for "
                + "everything",
            Way, OptionParsers.Size, (request, rows) => request with { Key = request.Key with { Expect = rows } });
        Value("--max-rows", "N", $"stop before more rows than this are {(deletes ? "deleted" : "found")}; what was committed stays", Way,
            OptionParsers.Size, (request, rows) => request with { Key = request.Key with { MaxRows = rows } });
        if (deletes)
        {
            Flag(Yes, "do not ask for confirmation on a terminal", Way,
                request => request with { Key = request.Key with { Confirm = null } })
                .In(NextCommand.Same).AlsoCalled("-y");
        }
        else
        {
            Value("--counts", "WHAT",
                "exact (default): updated are the records whose rows have changed, unchanged those whose rows had the values already; "
                    + "matched: both count as updated",
                Way, text => TypedValue.Choice(text, Counts),
                (request, counted) => request with { Key = request.Key with { CountsMatched = counted == Counted.Matches } });
        }

        Text("--temp-dir", "FOLDER",
            "folder where standard input is kept to be read again, and keys are sorted (default: the system's folder for temporary files)",
            Way, (request, folder) => request with { TempFolder = folder });
    }

    /// <summary>Which records count as updated: an option of bool would be a flag.</summary>
    private enum Counted
    {
        Changes,
        Matches,
    }
}
