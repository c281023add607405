using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Commands;

internal sealed class ImportCommand(CommandContext context) : FileCommand(
    Entry, context, new TargetArguments(), new MappingArguments(), new RejectArguments("0"),
    [
        new CreateArguments(), new IdArguments(), new RefreshArguments(context.Confirm is null ? null : asked => Confirm(context, asked)),
        new OrderArguments(), new IndexArguments(), new VerifyArguments(), new ProfileArguments(context.Host.Files),
        .. OfWriting(imports: true),
    ],
    [
        ("bulkload import people.csv -D shop", "into shop.people, columns by the header's names"),
        ("bulkload import people.csv -D shop --plan", "what would be done and why; writes nothing"),
        ("bulkload import people.csv -D shop --create --primary-key id", "into a new table, its columns' types from every record"),
        ("bulkload import 'part-*.csv.gz' --table shop.people --map 'Full Name=name'", "several files, one field renamed"),
        ("bulkload import dump.txt --table shop.people --format mysql --columns id,@skip,name", "as mysqlimport reads it; no header"),
        ("bulkload import people.csv -D shop --max-rejects 1% --reject-file bad.csv", "continue past bad records; fix bad.csv, import it"),
        ("bulkload import people.csv -D shop --on-duplicate update", "rows whose key is there get the file's values"),
        ("bulkload import prices.csv -D shop --full-refresh", "the table becomes exactly the file, at once, while others use it"),
        ("bulkload import people.csv -D shop --verify checksum", "compare each row with its record before it is committed"),
        ("bulkload import people.csv -D shop --profile server.json", "with what bench tune has measured on this server"),
        ("zcat people.jsonl.gz | bulkload import - --table shop.people --format jsonl --report r.json", "from a pipe, report for machines"),
    ])
{
    public const string Word = "import";

    public static readonly CommandEntry Entry = new(
        Word, "Insert the records of CSV, TSV or JSONL files into a table.", (_, context) => new ImportCommand(context));

    public override string? Hint => HintOfForms;

    private static bool Confirm(CommandContext context, RefreshQuestion asked) => context.Confirm!(
        $"make {asked.Table} on {asked.Endpoint}, {Amounts.Count(asked.Rows, "row")}, exactly the input: {asked.Changes}? [y/N] ");
}

/// <summary>Gives existing rows the values of files.</summary>
internal sealed class UpdateCommand(CommandContext context) : FileCommand(
    Entry, context, new TargetArguments(makesRows: false), new MappingArguments(), new RejectArguments("0"),
    [new KeyArguments(deletes: false), new OrderArguments(), .. OfWriting()],
    [
        ("bulkload update people.csv --table shop.people", "every column that the file has, in the rows with its primary keys"),
        ("bulkload update people.csv --table shop.people --plan", "what would be done and why; changes nothing"),
        ("bulkload update prices.csv --table shop.products --key sku", "by another unique column"),
        ("bulkload update lines.csv --table shop.order_lines --key order_id,line", "a key of several columns"),
        ("bulkload update people.csv --table shop.people --set 'changed=NOW()' --where 'active=1' --ignore-missing",
            "a column by SQL; active people only"),
        ("bulkload update moved.csv --table shop.people --map new_id=id",
            "new keys: field id finds the row, field new_id is what its id becomes"),
        ("bulkload update changes.jsonl --table shop.people --ignore-missing --expect 1000",
            "each object changes what it names; a thousand rows, or none"),
    ])
{
    public static readonly CommandEntry Entry = new(
        "update", "Update existing rows by key from files.", (_, context) => new UpdateCommand(context));

    public override string? Hint => HintOfForms;

    protected override LoadRequest Begin(LoadRequest request) => request with { Kind = JobKind.Update };
}

/// <summary>Compares records with the rows that have their keys, and writes nothing.</summary>
internal sealed class VerifyCommand(CommandContext context) : FileCommand(
    Entry, context, new TargetArguments(hasDuplicates: false), new MappingArguments(sets: false),
    new RejectArguments("a verification continues to the end"), [new VerifyArguments(isAlone: true)],
    [
        ("bulkload verify people.csv -D shop", "whether each record has its row, with the same values; exit code 7 if one has not"),
        ("bulkload verify people.csv -D shop --verify count", "only whether each key has its row"),
        ("bulkload verify people.csv -D shop --reject-file missing.csv",
            "save the records that have not, to import them or update by them"),
        ("bulkload verify 'part-*.csv.gz' --table shop.people --map 'Full Name=name'", "with the options of the import"),
        ("bulkload verify events.csv --table shop.events --key at,kind", "by columns that distinguish records, if the file has no key"),
    ])
{
    public static readonly CommandEntry Entry = new(
        "verify", "Compare files with a table and report missing or different rows.", (_, context) => new VerifyCommand(context));

    protected override LoadRequest Begin(LoadRequest request) =>
        request with { Mode = JobMode.Verify, Verify = VerifyMode.Checksum, MaxRejects = RejectLimit.OfPercent(100) };
}
