using System.CommandLine;
using BulkLoad.Cli.Ci;
using BulkLoad.Cli.Connecting;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Input;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Commands;

/// <summary>A command that reads files of records: the options that such commands share, and the way from words to a run.</summary>
internal abstract class FileCommand : JobCommand
{
    private readonly Argument<string[]> _files = new("FILE")
    {
        Arity = ArgumentArity.ZeroOrMore,
        Description = "CSV, TSV, mysql, postgres or JSON files, plain or compressed (gzip, zstd, xz, bzip2, zip); "
            + "glob patterns are expanded; - is standard input",
    };

    private readonly TargetArguments _target;
    private readonly ConnectionArguments _connection = new();
    private readonly SourceArguments _source = new();
    private readonly MappingArguments _mapping;
    private readonly FormatArguments _formats = new();
    private readonly RejectArguments _rejects;
    private readonly ThrottleArguments? _throttle;
    private readonly KeyArguments? _key;
    private readonly OutputArguments _output = new();
    private readonly CiArguments _ci = new();
    private readonly CommandContext _context;

    /// <summary>What the command works with.</summary>
    protected CommandContext Context => _context;

    /// <summary>The output and CI options as typed.</summary>
    protected (OutputWords Output, CiWords Ci) BindOutputs(ParseResult words) => (_output.Bind(words), _ci.Bind(words));

    /// <summary>Options of these two groups.</summary>
    protected IEnumerable<Option> OutputOptions => [.. _output.Options, .. _ci.Options];

    /// <param name="rejects">worded for it</param>
    protected FileCommand(
        string name, string description, CommandContext context, TargetArguments target, MappingArguments mapping, RejectArguments rejects,
        params ArgumentGroup[] own)
        : base(name, description)
    {
        (_context, _target, _mapping, _rejects) = (context, target, mapping, rejects);
        (_throttle, _key) = (own.OfType<ThrottleArguments>().SingleOrDefault(), own.OfType<KeyArguments>().SingleOrDefault());
        Arguments.Add(_files);
        Group([_target, _connection, _source, _mapping, _formats, rejects, .. own, _output, _ci]);
        SetAction((words, _) => RunAsync(words));
    }

    /// <summary>Adds the command's own options to those that all share.</summary>
    /// <param name="request">without a connection</param>
    protected abstract LoadRequest Bind(LoadRequest request, RejectWords rejects, ParseResult words);

    /// <summary>The inputs as typed.</summary>
    /// <exception cref="RequestException">they are named in two ways</exception>
    protected virtual string[] FilesOf(ParseResult words) => words.GetValue(_files) ?? [];

    /// <summary>Does what the command line asks for.</summary>
    /// <returns>the exit code</returns>
    protected virtual async Task<int> RunAsync(ParseResult words)
    {
        var output = _output.Bind(words);
        var (request, asksPassword) = BindAll(words, output);
        return (int)await new JobRunner(_context, output, _ci.Bind(words), Name, TypedCommandOf(words)).RunAsync(request, asksPassword);
    }

    /// <summary>All that the command line asks for, with the connection.</summary>
    /// <exception cref="RequestException">options contradict each other</exception>
    protected (LoadRequest Request, bool AsksPassword) BindAll(ParseResult words, OutputWords output)
    {
        var request = BindRequest(words, output);
        RequireFiles(request);
        var sources = new ConnectionResolver(_context.Surroundings, _context.Messages.Warning);
        var connection = _context.Keep(sources.Resolve(_connection.Bind(words), _connection.BindOptionFiles(words)));
        request = request with
        {
            Connection = connection.Options,
            Throttle = request.Throttle with { Replicas = _throttle?.BindReplicas(words, connection.Options) ?? [] },
        };
        request.Validate();
        SystemTrust.PassOverUnlessNeeded(_context.Surroundings, [request.Connection, .. request.Throttle.Replicas]);
        return (request, connection.AsksPassword);
    }

    /// <summary>What was typed of files, table, source, values and connection; never a password.</summary>
    protected IEnumerable<string> TypedOf(ParseResult words)
    {
        var typed = TypedCommandOf(words);
        return [.. typed.Files, .. typed.Options, .. typed.Rejects];
    }

    /// <inheritdoc cref="TypedOf"/>
    private TypedCommand TypedCommandOf(ParseResult words)
    {
        var options = new ArgumentGroup?[] { _target, _source, _mapping, _formats, _key }.OfType<ArgumentGroup>()
            .SelectMany(group => group.Options)
            .Where(option => option.Name is not ("--ids" or "--yes"));
        return new TypedCommand(
            FilesOf(words),
            [.. ArgumentGroup.Typed(words, options), .. _connection.Typed(words)],
            [.. ArgumentGroup.Typed(words, _rejects.Options)]);
    }

    /// <summary>A word that is no file, among others that are, may be a database or a table, as mysqlimport takes them.</summary>
    /// <exception cref="RequestException">there is one</exception>
    private void RequireFiles(LoadRequest request)
    {
        bool IsFile(string word) =>
            word == InputPaths.StandardInput || _context.Surroundings.Files.Exists(word) || InputPaths.IsPatternThatFits(word);
        var strange = request.Files.FirstOrDefault(word => word.Length > 0 && char.IsLetter(word[0])
            && word.All(letter => char.IsLetterOrDigit(letter) || letter is '_' or '$' or '-') && !IsFile(word));
        if (strange is not null && request.Files.Count > 1)
        {
            throw new RequestException(
                $"{strange}: no such file; if it is the database, write -D {strange}; if it is the table, --table {strange}");
        }
    }

    /// <summary>What a command line asks for, without a connection.</summary>
    /// <exception cref="RequestException">options contradict each other</exception>
    internal LoadRequest BindRequest(ParseResult words) => BindRequest(words, _output.Bind(words));

    private LoadRequest BindRequest(ParseResult words, OutputWords output)
    {
        var rejects = _rejects.Bind(words);
        return Pin(Bind(BindShared(rejects, output, words), rejects, words), words);
    }

    /// <summary>The request with what its spec says.</summary>
    /// <exception cref="RequestException">it cannot be read, or contradicts what was typed</exception>
    private LoadRequest Pin(LoadRequest request, ParseResult words)
    {
        if (_source.SpecFile(words) is not { } path)
        {
            return request;
        }

        try
        {
            return new PinnedSpec(path, SpecJson.Read(_context.Surroundings.Files.Read(path), path)).ApplyTo(request);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw new RequestException($"--spec: '{path}' cannot be read: {fault.Message}");
        }
    }

    private LoadRequest BindShared(RejectWords rejects, OutputWords output, ParseResult words)
    {
        var target = _target.Bind(words);
        var mapping = _mapping.Bind(words);
        var files = FilesOf(words);
        return new LoadRequest
        {
            Files = files,
            StandardInput = files.Contains("-") ? _context.Surroundings.OpenInput() : null,
            Table = target.Table,
            OnDuplicate = target.OnDuplicate,
            Connection = new(),
            Source = _source.Bind(words),
            Limit = _source.Limit(words),
            Columns = mapping.Columns,
            Map = mapping.Map,
            Assignments = mapping.Assignments,
            Values = mapping.Values with { Formats = _formats.Bind(words) },
            Throttle = _throttle?.Bind(words) ?? ThrottleOptions.None,
            MaxRejects = rejects.MaxRejects ?? RejectLimit.None,
            RejectFile = rejects.RejectFile,
            RepairsFile = rejects.RepairsFile,
            WritesSpec = output.WriteSpec is not null,
            OverwriteRejectFile = output.Overwrite,
        };
    }
}
