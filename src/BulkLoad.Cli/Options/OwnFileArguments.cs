using System.CommandLine;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Options;

/// <summary>Files of the user's own for a bench, and the table that they are for.</summary>
internal sealed class OwnFileArguments
{
    private readonly TargetArguments _target = new(makesRows: false);
    private readonly SourceArguments _source = new();
    private readonly MappingArguments _mapping = new();

    public Argument<string[]> Files { get; } = new("FILE")
    {
        Arity = ArgumentArity.ZeroOrMore,
        Description = "your own files, for an empty copy of --table; without them, the bench's own table",
    };

    /// <summary>In the order of the help.</summary>
    public IReadOnlyList<ArgumentGroup> Groups => [_target, _source, _mapping];

    /// <summary>The import of these files; null: none was named.</summary>
    /// <exception cref="RequestException">files without a table, or a table without files</exception>
    public LoadRequest? Bind(ConnectionOptions connection, ParseResult words)
    {
        var files = words.GetValue(Files) ?? [];
        var table = _target.Bind(words).Table;
        if (files.Length == 0)
        {
            return table is null
                ? null
                : throw new RequestException("--table is for a file of your own: name the file too, or leave the table out");
        }

        if (table is null)
        {
            throw new RequestException("no table: name with --table the one that your files are for; the bench works on a copy of it");
        }

        var mapping = _mapping.Bind(words);
        return new LoadRequest
        {
            Files = files,
            Table = table,
            Connection = connection,
            Source = _source.Bind(words),
            Limit = _source.Limit(words),
            Columns = mapping.Columns,
            Map = mapping.Map,
            Assignments = mapping.Assignments,
            Values = mapping.Values,
        };
    }
}
