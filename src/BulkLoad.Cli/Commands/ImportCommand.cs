using System.CommandLine;
using BulkLoad.Cli.Connecting;
using BulkLoad.Cli.Options;
using BulkLoad.Core;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload import FILE... --table T</c>: inserts the records of files.</summary>
internal sealed class ImportCommand : JobCommand
{
    private readonly Argument<string[]> _files = new("FILE")
    {
        Arity = ArgumentArity.ZeroOrMore,
        Description = "CSV, TSV, mysql or JSONL files, plain or gzip; glob patterns are expanded; - is standard input",
    };

    private readonly TargetArguments _target = new();
    private readonly CreateArguments _new = new();
    private readonly ConnectionArguments _connection = new();
    private readonly SourceArguments _source = new();
    private readonly MappingArguments _mapping = new();
    private readonly RejectArguments _rejects = new();
    private readonly WorkArguments _work = new();
    private readonly OutputArguments _output = new();
    private readonly CommandContext _context;

    public ImportCommand(CommandContext context)
        : base("import", "Inserts the records of CSV, TSV or JSONL files into a table.")
    {
        _context = context;
        Arguments.Add(_files);
        Group(_target, _new, _connection, _source, _mapping, _rejects, _work, _output);
        SetAction((words, _) => RunAsync(words));
    }

    /// <inheritdoc/>
    public override IReadOnlyList<(string Line, string Does)> Examples =>
    [
        ("bulkload import people.csv -D shop", "into shop.people, columns by the header's names"),
        ("bulkload import people.csv -D shop --plan", "what would be done and why; writes nothing"),
        ("bulkload import people.csv -D shop --create --primary-key id", "into a new table, its columns' types from every record"),
        ("bulkload import 'part-*.csv.gz' --table shop.people --map 'Full Name=name'", "several files, one field renamed"),
        ("bulkload import dump.txt --table shop.people --format mysql --columns id,@skip,name", "as mysqlimport reads it; no header"),
        ("bulkload import people.csv -D shop --max-rejects 1% --reject-file bad.csv", "go on over bad records; mend bad.csv, import it"),
        ("bulkload import people.csv -D shop --on-duplicate update", "rows whose key is there get the file's values"),
        ("zcat people.jsonl.gz | bulkload import - --table shop.people --format jsonl --report r.json", "from a pipe, report for machines"),
    ];

    private async Task<int> RunAsync(ParseResult words)
    {
        var output = _output.Bind(words);
        var request = Bind(words);
        request.Validate();
        var sources = new ConnectionResolver(_context.Surroundings, _context.Messages.Warning);
        var connection = sources.Resolve(_connection.Bind(words), _connection.BindOptionFiles(words));
        return (int)await new JobRunner(_context, output).RunAsync(request with { Connection = connection.Options }, connection.AsksPassword);
    }

    private LoadRequest Bind(ParseResult words)
    {
        var created = _new.Bind(words);
        var target = _target.Bind(words);
        var mapping = _mapping.Bind(words);
        var work = _work.Bind(words);
        var rejects = _rejects.Bind(words);
        var files = words.GetValue(_files) ?? [];
        return new LoadRequest
        {
            Files = files,
            StandardInput = files.Contains("-") ? _context.Surroundings.OpenInput() : null,
            Table = target.Table,
            Create = created.Create,
            PrimaryKey = created.PrimaryKey,
            TempFolder = created.TempFolder,
            OnDuplicate = target.OnDuplicate,
            Connection = new(),
            Source = _source.Bind(words),
            Columns = mapping.Columns,
            Map = mapping.Map,
            Assignments = mapping.Assignments,
            Values = mapping.Values,
            MaxRejects = rejects.MaxRejects,
            RejectFile = rejects.RejectFile,
            RepairsFile = rejects.RepairsFile,
            OverwriteRejectFile = _output.Bind(words).Overwrite,
            Strategy = work.Strategy,
            RowsPerBatch = work.RowsPerBatch,
            BytesPerBatch = work.BytesPerBatch,
            RowsPerChunk = work.RowsPerChunk,
            BytesPerChunk = work.BytesPerChunk,
            Atomic = work.Atomic,
        };
    }
}
