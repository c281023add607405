using System.CommandLine;
using BulkLoad.Cli.Options;
using BulkLoad.Core;
using BulkLoad.Core.Benching;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload bench strategies [FILE...]</c>.</summary>
internal sealed class StrategiesBenchCommand : MeasuringCommand
{
    private readonly Argument<string[]> _files = new("FILE")
    {
        Arity = ArgumentArity.ZeroOrMore,
        Description = "your own files, for an empty copy of --table; without them, the bench's own table",
    };

    private readonly BatchArguments _batches;
    private readonly TargetArguments _target;
    private readonly SourceArguments _source;
    private readonly MappingArguments _mapping;

    public StrategiesBenchCommand(CommandContext context)
        : this(context, new BatchArguments(), new TargetArguments(makesRows: false), new SourceArguments(), new MappingArguments())
    {
    }

    private StrategiesBenchCommand(CommandContext context, BatchArguments batches, TargetArguments target, SourceArguments source, MappingArguments mapping)
        : base("strategies", "Measures every strategy of the catalogue, and every method to send a batch; or every import strategy with your own files.", context, batches, target, source, mapping)
    {
        (_batches, _target, _source, _mapping) = (batches, target, source, mapping);
        Arguments.Add(_files);
    }

    /// <inheritdoc/>
    public override string Words => "[FILE...]";

    /// <inheritdoc/>
    public override IReadOnlyList<(string Line, string Does)> Examples =>
    [
        ("bulkload bench strategies -D test", "import, update and delete by every strategy, batches by every method"),
        ("bulkload bench strategies people.csv --table people -D shop", "your file, into a copy of your table that is dropped at the end"),
        ("bulkload bench strategies -D test --rows 1M --batch-rows '' --html strategies.html", "strategies alone, with a million rows"),
    ];

    protected override BenchRequest Bind(ConnectionOptions connection, ParseResult words)
    {
        var request = new StrategiesRequest { Connection = connection, BatchRows = _batches.Bind(words) ?? new StrategiesRequest { Connection = connection }.BatchRows };
        var files = words.GetValue(_files) ?? [];
        var table = _target.Bind(words).Table;
        if (files.Length == 0)
        {
            return table is null ? request : throw new RequestException("--table is for a file of your own: name the file too, or leave the table out");
        }

        if (table is null)
        {
            throw new RequestException("no table: name with --table the one that your files are for; the bench works on a copy of it");
        }

        var mapping = _mapping.Bind(words);
        return request with
        {
            Load = new LoadRequest
            {
                Files = files,
                Table = table,
                Connection = connection,
                Source = _source.Bind(words),
                Columns = mapping.Columns,
                Map = mapping.Map,
                Assignments = mapping.Assignments,
                Values = mapping.Values,
            },
        };
    }

    private sealed class BatchArguments : ArgumentGroup
    {
        private readonly Option<long[]?> _rows;

        public BatchArguments()
            : base("Batches") =>
            _rows = Object("--batch-rows", "LIST", "sizes of the batches that every method sends (default: 100,1000,10000); empty for none", Shapes.Sizes);

        /// <summary>Null: not typed.</summary>
        public IReadOnlyList<long>? Bind(ParseResult words) => TypedList(words, _rows);
    }
}
