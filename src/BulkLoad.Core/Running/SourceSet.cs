using BulkLoad.Core.Inference;
using BulkLoad.Core.Mapping;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Rejects;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Running;

/// <summary>All inputs of a request: looked at, and once the table is known, mapped.</summary>
internal sealed class SourceSet : IDisposable
{
    private readonly LoadRequest _request;
    private readonly List<(SourceLook Look, InputFile? Opened)> _looks;

    /// <summary>By the number of the input: copies of those that can be read only once, where they have to be read twice.</summary>
    private readonly Dictionary<int, SpoolFile> _spools = [];

    private SourceSet(LoadRequest request, List<(SourceLook, InputFile?)> looks)
    {
        _request = request;
        _looks = looks;
    }

    /// <summary>Known after <see cref="MapTo"/>.</summary>
    public IReadOnlyList<LoadSource> Mapped { get; private set; } = [];

    /// <summary>The first input as the user named it.</summary>
    public string FirstPath => _looks[0].Look.Name;

    /// <summary>Average bytes of a record in the samples; 100 where there is no record.</summary>
    public double RecordBytes
    {
        get
        {
            var records = _looks.Sum(source => (long)source.Look.SampleRecords);
            return records == 0 ? 100 : Math.Max(1, _looks.Sum(source => source.Look.AverageRecordBytes * source.Look.SampleRecords) / records);
        }
    }

    /// <summary>How a file of the inputs' refused records must be written.</summary>
    /// <exception cref="RequestException">the inputs do not begin alike, so that one file cannot hold their records</exception>
    public RejectForm RejectForm
    {
        get
        {
            var first = _looks[0].Look;
            foreach (var (look, _) in _looks)
            {
                if (!look.Head.AsSpan().SequenceEqual(first.Head) || look.EncodingName != first.EncodingName || look.Format != first.Format || look.Delimiter != first.Delimiter)
                {
                    throw new RequestException(
                        $"--reject-file: {look.Name} and {first.Name} have not the same header, format and encoding, so that their records cannot stand in one file: import them one at a time");
                }
            }

            return first.RejectForm;
        }
    }

    public bool RecordsCanLackColumns => _looks.Any(source =>
        source.Look.Format == InputFormat.Jsonl || _request.Source.Dirt[DirtKind.FewFields] == DirtAction.Repair);

    public IReadOnlyList<string> Guesses => _looks.Count == 1
        ? _looks[0].Look.Guesses
        : [.. _looks.SelectMany(source => source.Look.Guesses.Select(guess => $"{source.Look.Name}: {guess}"))];

    /// <summary>Expands patterns and looks at the beginning of every input.</summary>
    /// <exception cref="InputException">one cannot be read, or is empty</exception>
    public static SourceSet Look(LoadRequest request, ILogger log, CancellationToken cancellationToken)
    {
        var looks = new List<(SourceLook, InputFile?)>();
        var set = new SourceSet(request, looks);
        try
        {
            foreach (var path in InputPaths.Expand(request.Files))
            {
                var input = path == "-"
                    ? InputFile.Open(set.Once(request.StandardInput ?? throw new RequestException("there is no standard input")), "standard input", request.Source, cancellationToken)
                    : InputFile.Open(path, request.Source, set.Once, cancellationToken);
                var look = SourceProbe.Look(input, request.Source);
                log.SourceSeen(look.Name, look.Format.ToString(), look.FieldCount, look.Length, look.EstimatedRecords);
                if (look.Path is not null && look.Length is not null)
                {
                    input.Dispose();
                    input = null;
                }

                looks.Add((look, input));
                if (look.IsEmpty)
                {
                    throw new InputException($"{look.Name}: is empty: there is not even a header; nothing was imported");
                }
            }
        }
        catch
        {
            set.Dispose();
            throw;
        }

        return set;
    }

    /// <summary>Reads every record of every input, and decides what table holds them. Can be done once.</summary>
    /// <param name="zone">the time zone in which times are meant</param>
    /// <param name="cancellationToken">ends it at the next read of an input</param>
    /// <exception cref="InputException">one cannot be read</exception>
    /// <exception cref="MappingException">fields that cannot be columns</exception>
    /// <exception cref="PlanException">a key that cannot be one</exception>
    public TableDesign Survey(ValueZone zone, CancellationToken cancellationToken)
    {
        var survey = new SourceSurvey(_request, zone, [.. _looks.Select(source => source.Look.Name)]);
        for (var i = 0; i < _looks.Count; i++)
        {
            var (look, opened) = _looks[i];
            using var input = opened ?? InputFile.Open(look.Path!, _request.Source, cancellationToken);
            var records = survey.Read(look, input);
            var again = _spools.TryGetValue(i, out var spool) ? InputFile.Open(spool.OpenRead(), look.Name, _request.Source, cancellationToken) : null;
            _looks[i] = (look with { EstimatedRecords = records }, again);
        }

        return survey.Design();
    }

    /// <summary>Decides for every input which field goes where.</summary>
    /// <returns>the target columns, the same for all inputs</returns>
    public IReadOnlyList<TableColumn> MapTo(TableFacts table)
    {
        var mapped = new List<LoadSource>();
        foreach (var (seen, opened) in _looks)
        {
            var look = seen.Format == InputFormat.Jsonl ? seen with { FieldNames = JsonFields.Choose(seen.FieldNames ?? [], table, _request) } : seen;
            var mapping = ColumnMapping.Create(look.Name, look.FieldNames, look.FieldCount, table, _request, look.HeaderHint);
            RequireOwnBytes(look, mapping);
            mapped.Add(new LoadSource(
                look, mapped.Count == 0 ? mapping : mapping.InOrderOf(mapped[0].Mapping, look.Name, mapped[0].Look.Name), opened));
        }

        Mapped = mapped;
        return mapped[0].Mapping.Columns;
    }

    /// <summary>Decoding has changed the bytes of all that is not UTF-8.</summary>
    private void RequireOwnBytes(SourceLook look, ColumnMapping mapping)
    {
        if (_request.Values.In(look.Format).Binary == BinaryForm.Raw && !look.EncodingName.Equals("utf-8", StringComparison.OrdinalIgnoreCase)
            && mapping.Columns.FirstOrDefault(column => column.IsBinary) is { } column)
        {
            throw new MappingException(
                $"{look.Name}: is {look.EncodingName}, so that column '{column.Name}' cannot be taken as raw bytes: write its values as hexadecimal digits or base64 and say so with --binary hex or --binary base64");
        }
    }

    public IReadOnlyList<PlannedSource> Describe() =>
    [
        .. _looks.Select(source => new PlannedSource(
            source.Look.Name,
            source.Look.Format.ToString().ToLowerInvariant(),
            source.Look.Compression.ToString().ToLowerInvariant(),
            source.Look.EncodingName,
            source.Look.Length,
            source.Look.EstimatedRecords)),
    ];

    public void Dispose()
    {
        foreach (var (_, opened) in _looks)
        {
            opened?.Dispose();
        }

        foreach (var spool in _spools.Values)
        {
            spool.Dispose();
        }
    }

    /// <summary>The stream of the next input, which can be read only once: copied where it has to be read twice.</summary>
    private Stream Once(Stream source)
    {
        if (!_request.Create)
        {
            return source;
        }

        var spool = SpoolFile.Create(_request.TempFolder);
        _spools.Add(_looks.Count, spool);
        return spool.Copy(source);
    }
}
