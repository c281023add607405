using System.CommandLine;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Options;

/// <summary>Which rows are meant, and how many they may be.</summary>
internal sealed class KeyArguments : ArgumentGroup
{
    private static readonly (string, Counted)[] Counts = [("exact", Counted.Changes), ("matched", Counted.Matches)];

    private readonly Option<string?>? _ids;
    private readonly Option<string[]?> _key;
    private readonly Option<bool>? _ranges;
    private readonly Option<bool> _ignoreMissing;
    private readonly Option<bool> _allowMultiple;
    private readonly Option<bool> _allowScan;
    private readonly Option<string?> _where;
    private readonly Option<long?> _expect;
    private readonly Option<long?> _maxRows;
    private readonly Option<Counted?>? _counts;
    private readonly Option<bool>? _yes;
    private readonly Option<string?> _tempFolder;

    /// <param name="deletes">whether the rows go; else they change</param>
    public KeyArguments(bool deletes) : base("Keys")
    {
        _ids = !deletes
            ? null
            : Text("--ids", "FILE",
                "the keys, one per line, without quotes; blanks around them are ignored; .csv, .tsv and .jsonl files are read as such; - "
                    + "is standard input");
        _key = Object("--key", "COLUMN,...", "the columns that find a row (default: the primary key's)", text => OptionParsers.Names(text));
        _ranges = !deletes ? null : Flag("--ranges", "with --ids: a line such as 10..20 means every number from 10 to 20");
        _ignoreMissing = Flag("--ignore-missing", "count keys that no row has, instead of refusing their records");
        _allowMultiple = Flag("--allow-multiple", "accept a key that no unique index covers: one record can find several rows");
        _allowScan = Flag("--allow-scan", "accept a key that no index begins with: every statement reads the whole table");
        _where = Text("--where", "CONDITION", "an SQL condition that a row must also meet; other rows count as missing");
        _expect = Value("--expect", "N",
            $"how many rows must be {(deletes ? "deleted" : "found")}, exactly; otherwise nothing is changed: one transaction for "
                + "everything",
            OptionParsers.Size);
        _maxRows = Value("--max-rows", "N",
            $"stop before more rows than this are {(deletes ? "deleted" : "found")}; what was committed stays", OptionParsers.Size);
        _counts = deletes ? null : Value(
            "--counts",
            "WHAT",
            "exact (default): updated are the records whose rows have changed, unchanged those whose rows had the values already; "
                + "matched: both count as updated",
            text => OptionParsers.Choice(text, Counts));
        _yes = !deletes ? null : Flag("--yes", "do not ask for confirmation on a terminal");
        _tempFolder = Text("--temp-dir", "FOLDER",
            "folder where standard input is kept to be read again, and keys are sorted (default: the system's folder for temporary files)");
    }

    /// <exception cref="RequestException">--ids has no file</exception>
    public KeyWords Bind(ParseResult words) => new(
        IdsOf(words) is "" ? throw new RequestException("--ids: the file name is empty") : IdsOf(words),
        new KeyOptions
        {
            Columns = words.GetValue(_key) ?? [],
            AreIds = IdsOf(words) is not null,
            IgnoreMissing = words.GetValue(_ignoreMissing),
            AllowMultiple = words.GetValue(_allowMultiple),
            AllowScan = words.GetValue(_allowScan),
            Where = words.GetValue(_where),
            Expect = words.GetValue(_expect),
            MaxRows = words.GetValue(_maxRows),
            CountsMatched = _counts is not null && words.GetValue(_counts) == Counted.Matches,
        },
        _ranges is not null && words.GetValue(_ranges),
        _yes is not null && words.GetValue(_yes),
        words.GetValue(_tempFolder));

    private string? IdsOf(ParseResult words) => _ids is null ? null : words.GetValue(_ids);

    /// <summary>What makes a record one of the updated ones: an option of bool would be a flag.</summary>
    private enum Counted
    {
        Changes,
        Matches,
    }
}

/// <summary>The keys as typed; null: not typed.</summary>
internal sealed record KeyWords(string? Ids, KeyOptions Key, bool ReadsRanges, bool IsConfirmed, string? TempFolder);
