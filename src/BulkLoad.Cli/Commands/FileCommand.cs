using System.CommandLine;
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

    private readonly ConnectionArguments _connection = new();
    private readonly OutputArguments _output = new();
    private readonly CiArguments _ci = new();

    /// <summary>In the order of the help.</summary>
    private readonly OptionGroup<LoadRequest>[] _request;

    /// <param name="rejects">with the help of this command; null: it has none</param>
    /// <param name="source">null: the usual ones</param>
    /// <param name="first">a word before the files, which may then be left out; null: none</param>
    protected FileCommand(
        CommandEntry entry, CommandContext context, OptionGroup<LoadRequest> target, MappingArguments mapping, RejectArguments? rejects,
        OptionGroup<LoadRequest>[] own, (string Line, string Does)[] examples, SourceArguments? source = null,
        Argument<string>? first = null)
        : base(entry, first is null ? "FILE..." : $"{first.Name} [FILE...]", examples)
    {
        Context = context;
        source ??= new SourceArguments();
        var formats = new FormatArguments();
        OptionGroup<LoadRequest>[] refused = rejects is null ? [] : [rejects];
        _request = [target, source, mapping, formats, .. refused, .. own];
        if (first is not null)
        {
            Arguments.Add(first);
        }

        Arguments.Add(_files);
        Group([target, _connection, source, mapping, formats, .. refused, .. own, _output, _ci]);
        SetAction((words, _) => RunAsync(words));
    }

    /// <summary>Options of commands that write into a table.</summary>
    protected static OptionGroup<LoadRequest>[] OfWriting(bool imports = false, bool repeats = false) =>
        [new PreviewArguments(), new WorkArguments(), new JobArguments(imports, repeats), new ThrottleArguments()];

    /// <summary>For commands whose files may have values in other notations.</summary>
    protected const string HintOfForms = "Which options a file needs: bulkload check FILE --suggest";

    internal CommandContext Context { get; }

    protected IEnumerable<Option> OutputOptions => [.. _output.Options, .. _ci.Options];

    protected (OutputSettings Output, CiSettings Ci) BindOutputs(ParseResult words) => (_output.Bind(words), _ci.Bind(words));

    /// <summary>The request before the options change it.</summary>
    protected virtual LoadRequest Begin(LoadRequest request) => request;

    /// <inheritdoc cref="Begin(LoadRequest)"/>
    protected virtual LoadRequest Begin(LoadRequest request, ParseResult words) => Begin(request);

    /// <summary>The inputs as typed.</summary>
    /// <exception cref="RequestException">they are named in two ways</exception>
    protected virtual string[] FilesOf(ParseResult words) => words.GetValue(_files) ?? [];

    /// <returns>the exit code</returns>
    protected virtual async Task<int> RunAsync(ParseResult words)
    {
        var output = _output.Bind(words);
        var (request, asksPassword) = BindAll(words, output);
        return (int)await new JobRunner(Context, output, _ci.Bind(words), Name, TypedCommandOf(words)).RunAsync(request, asksPassword);
    }

    /// <summary>Binds the whole command line, with the connection.</summary>
    /// <exception cref="RequestException">options contradict each other</exception>
    protected (LoadRequest Request, bool AsksPassword) BindAll(ParseResult words, OutputSettings output)
    {
        var request = BindRequest(words, output);
        RequireFiles(request);
        var connection = Context.Resolve(_connection, words);
        request = request with { Connection = connection.Options };
        if (Groups.OfType<ThrottleArguments>().Any())
        {
            var replicas = ThrottleArguments.Replicas(words, connection.Options);
            request = request with { Throttle = request.Throttle with { Replicas = replicas } };
        }

        request.Validate();
        RequireOutputs(words, Context, request.Files);
        SystemTrust.PassOverUnlessNeeded(Context.Host, [request.Connection, .. request.Throttle.Replicas]);
        return (request, connection.AsksPassword);
    }

    /// <summary>The words that a next command must have too; never a password.</summary>
    protected TypedCommand TypedCommandOf(ParseResult words) => Context.Typed! with { Files = FilesOf(words) };

    /// <summary>A word that is no file, among others that are, may be a database or a table, as mysqlimport takes them.</summary>
    private void RequireFiles(LoadRequest request)
    {
        bool IsFile(string word) =>
            word == InputPaths.StandardInput || Context.Host.Files.Exists(word) || InputPaths.IsPatternThatFits(word);
        var strange = request.Files.FirstOrDefault(word => word.Length > 0 && char.IsLetter(word[0])
            && word.All(letter => char.IsLetterOrDigit(letter) || letter is '_' or '$' or '-') && !IsFile(word));
        if (strange is not null && request.Files.Any(word => word.Contains('.', StringComparison.Ordinal) || IsFile(word)))
        {
            throw new RequestException(
                $"{strange}: no such file; if it is the database, write -D {strange}; if it is the table, --table {strange}");
        }
    }

    /// <summary>Binds the command line without a connection.</summary>
    /// <exception cref="RequestException">options contradict each other</exception>
    internal LoadRequest BindRequest(ParseResult words) => BindRequest(words, _output.Bind(words));

    private LoadRequest BindRequest(ParseResult words, OutputSettings output)
    {
        var files = FilesOf(words);
        var request = Begin(new LoadRequest
        {
            Files = files,
            StandardInput = files.Contains(InputPaths.StandardInput) ? Context.Host.OpenInput() : null,
            Connection = new(),
            WritesSpec = output.WriteSpec is not null,
            OverwriteRejectFile = output.Overwrite,
        }, words);
        return Pin(_request.Aggregate(request, (typed, group) => group.Apply(typed, words)), words);
    }

    /// <summary>Adds the settings of the spec.</summary>
    /// <exception cref="RequestException">it cannot be read, or contradicts what was typed</exception>
    private LoadRequest Pin(LoadRequest request, ParseResult words)
    {
        if (words.GetValue<string>(SourceArguments.Spec) is not { } path)
        {
            return request;
        }

        try
        {
            return new PinnedSpec(path, SpecJson.Read(Context.Host.Files.Read(path), path)).ApplyTo(request);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw new RequestException($"--spec: '{path}' cannot be read: {FileFault.Describe(fault, path)}");
        }
    }
}
