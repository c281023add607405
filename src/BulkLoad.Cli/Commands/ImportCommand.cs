using System.CommandLine;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload import FILE... --table T</c>: inserts the records of files.</summary>
internal sealed class ImportCommand : WritingCommand
{
    /// <summary>What calls it.</summary>
    public const string Word = "import";

    private readonly CreateArguments _new;
    private readonly OrderArguments _order;
    private readonly IndexArguments _indexes;
    private readonly VerifyArguments _verify;
    private readonly ProfileArguments _profile;
    private readonly IFiles _files;

    public ImportCommand(CommandContext context)
        : this(context, new CreateArguments(), new OrderArguments(), new IndexArguments(), new VerifyArguments(), new ProfileArguments())
    {
    }

    private ImportCommand(CommandContext context, CreateArguments created, OrderArguments order, IndexArguments indexes,
        VerifyArguments verify, ProfileArguments profile)
        : base(Word, "Insert the records of CSV, TSV or JSONL files into a table.", context, new TargetArguments(), new MappingArguments(),
            created, order, indexes, verify, profile) =>
        (_new, _order, _indexes, _verify, _profile, _files) = (created, order, indexes, verify, profile, context.Surroundings.Files);

    /// <inheritdoc/>
    public override IReadOnlyList<(string Line, string Does)> Examples =>
    [
        ("bulkload import people.csv -D shop", "into shop.people, columns by the header's names"),
        ("bulkload import people.csv -D shop --plan", "what would be done and why; writes nothing"),
        ("bulkload import people.csv -D shop --create --primary-key id", "into a new table, its columns' types from every record"),
        ("bulkload import 'part-*.csv.gz' --table shop.people --map 'Full Name=name'", "several files, one field renamed"),
        ("bulkload import dump.txt --table shop.people --format mysql --columns id,@skip,name", "as mysqlimport reads it; no header"),
        ("bulkload import people.csv -D shop --max-rejects 1% --reject-file bad.csv", "continue past bad records; fix bad.csv, import it"),
        ("bulkload import people.csv -D shop --on-duplicate update", "rows whose key is there get the file's values"),
        ("bulkload import people.csv -D shop --verify checksum", "compare each row with its record before it is committed"),
        ("bulkload import people.csv -D shop --profile server.json", "with what bench tune has measured on this server"),
        ("zcat people.jsonl.gz | bulkload import - --table shop.people --format jsonl --report r.json", "from a pipe, report for machines"),
    ];

    protected override LoadRequest Bind(LoadRequest request, ParseResult words)
    {
        var created = _new.Bind(words);
        return _profile.Apply(_indexes.Apply(_order.Apply(_verify.Apply(request, words), words), words), _files, words) with
        {
            Create = created.Create,
            ExactTypes = created.ExactTypes,
            PrimaryKey = created.PrimaryKey,
            ColumnTypes = created.Types,
            AddColumns = created.AddColumns,
            TempFolder = created.TempFolder ?? request.TempFolder,
        };
    }
}
