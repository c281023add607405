using BulkLoad.Core.Feed;
using BulkLoad.Core.Inference;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Mapping;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Jobs;

/// <summary>All inputs of a request: their heads are read first; they are mapped when the table is known.</summary>
internal sealed class SourceSet : IDisposable
{
    private readonly LoadRequest _request;
    private readonly List<(SourceInfo Look, InputFile? Opened, Spool? Spool)> _looks;

    private readonly List<string> _headers = [];
    private readonly PassProgress? _dividing;
    private readonly CancellationToken _cancellation;

    private SourceSet(LoadRequest request, List<(SourceInfo, InputFile?, Spool?)> looks, PassProgress? dividing, CancellationToken token) =>
        (_request, _looks, _dividing, _cancellation) = (request, looks, dividing, token);

    /// <summary>Filled by <see cref="MapTo"/>.</summary>
    public IReadOnlyList<LoadSource> Mapped { get; private set; } = [];

    public string FirstPath => _looks[0].Look.Name;

    /// <summary>As stored; null: an input is a pipe.</summary>
    public long? TotalBytes => _looks.TrueForAll(one => one.Look.Length is not null) ? _looks.Sum(one => one.Look.Length) : null;

    /// <summary>Average bytes of a record in the samples; 100 if there is no record.</summary>
    public double RecordBytes
    {
        get
        {
            var records = _looks.Sum(source => (long)source.Look.SampleRecords);
            return records == 0
                ? 100
                : Math.Max(1, _looks.Sum(source => source.Look.AverageRecordBytes * source.Look.SampleRecords) / records);
        }
    }

    /// <summary>Form of the file of refused records.</summary>
    /// <exception cref="RequestException">the inputs begin differently, so that one file cannot hold their records</exception>
    public RejectForm RejectForm
    {
        get
        {
            var first = (_looks.Find(source => !source.Look.IsEmpty) is { Look: not null } full ? full : _looks[0]).Look;
            foreach (var (look, _, _) in _looks)
            {
                if (!look.IsEmpty && (!look.Head.AsSpan().SequenceEqual(first.Head) || look.EncodingName != first.EncodingName
                    || look.Format != first.Format || !look.IsWrittenAs(first)))
                {
                    throw new RequestException(
                        $"--reject-file: {look.Name} and {first.Name} have different headers, formats or encodings, and one file cannot "
                            + "hold records of both: import them one at a time");
                }
            }

            return first.RejectForm;
        }
    }

    public bool RecordsCanLackColumns => _looks.Any(source =>
        source.Look.Format.IsJson() || _request.Source.Dirt[DirtKind.FewFields] == DirtAction.Repair);

    public IReadOnlyList<string> Guesses => SourceNotes.Of([.. _looks.Select(source => source.Look)], _headers);

    /// <summary>Expands patterns, and reads the head of every input.</summary>
    /// <param name="dividing">told how far a file was read to find a part of it</param>
    /// <exception cref="InputException">an input cannot be read, or is empty</exception>
    public static SourceSet Look(LoadRequest request, ILogger log, CancellationToken cancellationToken, PassProgress? dividing = null)
    {
        var looks = new List<(SourceInfo, InputFile?, Spool?)>();
        var parts = new SharedParts();
        var set = new SourceSet(request, looks, dividing, cancellationToken);
        Spool? spool = null;
        try
        {
            var paths = InputPaths.Expand(request.Files);
            TableName.RequireOne(request, paths);
            foreach (var path in paths)
            {
                spool = SpoolOf(path, request, cancellationToken);
                var input = spool is not null
                    ? InputFile.Open(spool, request.Source, cancellation: cancellationToken)
                    : path == InputPaths.StandardInput
                        ? InputFile.Open(StandardInputOf(request), request.StandardInputName, request.Source, cancellationToken)
                        : InputFile.Open(path, request.Source, cancellation: cancellationToken);
                var look = LookAt(input, request).With(parts);
                log.SourceSeen(look.Name, look.Format.ToString(), look.FieldCount, look.Length, look.EstimatedRecords);
                if (spool is not null || (look.Path is not null && look.Length is not null))
                {
                    input.Dispose();
                    input = null;
                }

                looks.Add((look, input, spool));
                spool = null;
                if (look.IsEmpty)
                {
                    continue;
                }

                request.Spec?.Require(look);
                if (request.Source.Dirt[DirtKind.RepeatedHeader] == DirtAction.Repair)
                {
                    HeaderDetector.RequireOthers(look);
                }

                EmptyComparisons.RequireNone(look, request);
                looks[^1] = (look.Undecided is null ? HeaderRules.Apply(look, request) : look, input, looks[^1].Item3);
            }

            set.RequireContent();

            set.RequireUnknownKeys();
            set.RequireOneSpec();
        }
        catch
        {
            spool?.Dispose();
            set.Dispose();
            throw;
        }

        return set;
    }

    private static SourceInfo LookAt(InputFile input, LoadRequest request)
    {
        try
        {
            return SourceProbe.Look(input, request.Source, request.Values);
        }
        catch (InputException fault) when (fault.Encodings.Count > 0 && request.Kind == JobKind.Import && request.Mode != JobMode.Verify)
        {
            throw new InputException(fault.Message, fault) { WaysOn = [.. fault.WaysOn, Utf8Detector.TryEncodings] };
        }
        catch (InputException fault) when (fault.Delimiters.Count > 0 && !request.Create)
        {
            var look = SourceProbe.Look(input, request.Source with { Delimiter = fault.Delimiters[0] }, request.Values);
            return look with { Undecided = fault };
        }
    }

    /// <summary>Some of several files, such as Spark writes, may be empty, even without a header; one must not be.</summary>
    private void RequireContent()
    {
        if (_looks.TrueForAll(source => source.Look.IsEmpty) && _looks.Find(source => !source.Look.MayHoldNothing).Look is { } look)
        {
            throw new InputException(
                $"{look.Name}: is empty: there is "
                    + $"{(look.Format == InputFormat.Keys ? "no key in it" : "no header in it (--no-header: no record either)")}; "
                    + $"{JobVerbs.Of(_request).Nothing}");
        }

        for (var i = 0; i < _looks.Count && _looks.Count > 1; i++)
        {
            var (seen, opened, spool) = _looks[i];
            if (seen.IsEmpty)
            {
                _looks[i] = (seen with { Guesses = ["it is empty, and has no records"] }, opened, spool);
            }
        }
    }

    /// <summary>Reads every record of every input, and designs the table.</summary>
    /// <exception cref="InputException">an input cannot be read</exception>
    /// <exception cref="MappingException">the fields cannot be columns</exception>
    /// <exception cref="PlanException">a given key is not possible</exception>
    public TableDesign Survey(ValueZone zone, GivenTypes types, PassProgress progress, CancellationToken cancellationToken)
    {
        var survey = new SourceSurvey(_request, zone, [.. _looks.Select(source => source.Look.Name)], types) { Progress = progress };
        for (var i = 0; i < _looks.Count; i++)
        {
            var (look, opened, spool) = _looks[i];
            RequireForTable(look);

            if (!_request.Source.IsPinned)
            {
                look = look with { Guesses = [.. look.Guesses, .. HeaderDetector.Notes(look)] };
            }

            using var input = Open(look, spool, cancellationToken);
            _looks[i] = (look with { EstimatedRecords = survey.Read(look, input) }, opened, spool);
        }

        return survey.Design();
    }

    /// <summary>Requires what a new table needs: it is known whether each input has a header, and where its fields end.</summary>
    public void RequireForTable() => _looks.ForEach(source => RequireForTable(source.Look));

    private void RequireForTable(SourceInfo look)
    {
        if ((look.Undecided ?? look.JsonShape?.Fault(look.Name)) is { } fault)
        {
            throw fault;
        }

        HeaderDetector.Require(look);
        if (_request is { Source: { Format: InputFormat.Auto, Delimiter: null, IsPinned: false }, Columns: not { Count: > 0 } })
        {
            HeaderDetector.RequireFields(look);
        }
    }

    /// <summary>Reads every record of the inputs that have fields without a column, and designs columns for them.</summary>
    /// <param name="charset">the table's; for text without a charset of its own</param>
    /// <returns>null: every field has a column, or the fields do not look like this table's, which mapping them reports</returns>
    public TableAddition? SurveyAddition(
        TableFacts table, ValueZone zone, GivenTypes types, string? charset, PassProgress progress, CancellationToken cancellationToken)
    {
        var survey = new SourceSurvey(_request, zone, _looks.ConvertAll(one => one.Look.Name), types, table) { Progress = progress };
        foreach (var (look, _, spool) in _looks)
        {
            if (!UnknownFields.MayBeColumns(look, _request, table))
            {
                continue;
            }

            using var input = Open(look, spool, cancellationToken);
            survey.Read(look, input);
        }

        return survey.DesignAddition(charset) is { Columns.Count: > 0 } addition ? addition : null;
    }

    public IEnumerable<(SourceInfo Look, InputFile Input)> OpenAll(CancellationToken cancellationToken)
    {
        foreach (var (look, _, spool) in _looks)
        {
            yield return (look, Open(look, spool, cancellationToken));
        }
    }

    private InputFile Open(SourceInfo look, Spool? spool, CancellationToken cancellationToken) => spool is null
        ? InputFile.Open(look.Path!, _request.Source, cancellation: cancellationToken)
        : InputFile.Open(spool, _request.Source, cancellation: cancellationToken);

    /// <exception cref="RequestException">unknown keys are to be ignored, and no input has keys</exception>
    private void RequireUnknownKeys()
    {
        // A delete ignores them without the option.
        if (_request is { Kind: not JobKind.Delete, Source.IgnoreUnknown: true }
            && _looks.TrueForAll(source => !source.Look.Format.IsJson())
            && _looks.Find(source => !source.Look.IsEmpty).Look is { } look)
        {
            throw new RequestException(
                $"--ignore-unknown is for JSON, and {look.Name} is {look.Format.Word()}: "
                + "--map FIELD=@ skips a field, and so does @name in --columns");
        }
    }

    /// <exception cref="RequestException">a spec is wanted, and the inputs have different ones</exception>
    private void RequireOneSpec()
    {
        if (!_request.WritesSpec)
        {
            return;
        }

        var first = SpecJson.ToText(SourceSpec.Of(_looks[0].Look, _request));
        foreach (var (look, _, _) in _looks)
        {
            if (SpecJson.ToText(SourceSpec.Of(look, _request)) != first)
            {
                throw new RequestException($"--write-spec: {look.Name} and {FirstPath} have different formats or headers, and no spec "
                    + "fits both: import them one at a time");
            }
        }
    }

    /// <summary>Stores a pipe that may have to be read more than once; null: not needed.</summary>
    private static Spool? SpoolOf(string path, LoadRequest request, CancellationToken cancellationToken)
    {
        if (!request.ReadsTwice)
        {
            return null;
        }

        if (path == InputPaths.StandardInput)
        {
            return Spool.Of(StandardInputOf(request), request.StandardInputName, null, request.TempFolder, cancellationToken);
        }

        using var file = InputFile.OpenFile(path, cancellationToken);
        return file.CanSeek ? null : Spool.Of(file, path, path, request.TempFolder, cancellationToken);
    }

    private static Stream StandardInputOf(LoadRequest request) =>
        request.StandardInput ?? throw new RequestException("there is no standard input");

    /// <param name="key">columns that find rows; null: each record makes a row</param>
    /// <returns>the target columns, the same for all inputs</returns>
    public IReadOnlyList<TableColumn> MapTo(TableFacts table, IReadOnlyList<TableColumn>? key)
    {
        var mapped = new LoadSource[_looks.Count];
        var elsewhere = MappedFieldsThatAreThere();
        LoadSource? first = null, before = null;
        _headers.Clear();
        foreach (var i in Enumerable.Range(0, mapped.Length).OrderBy(i => _looks[i].Look.IsEmpty))
        {
            var (seen, opened, spool) = _looks[i];
            if (seen.IsEmpty && first is not null)
            {
                // An input without records has nothing to map.
                mapped[i] = Known(new LoadSource(seen, first.Mapping, opened, spool), opened);
                continue;
            }

            if (seen.JsonShape is { IsByColumns: true } shape)
            {
                throw shape.Fault(seen.Name);
            }

            var settled = SettleDelimiter(seen, opened, spool, table, key);
            _looks[i] = (settled, opened, spool);
            var look = settled.Format.IsJson() ? WithKeys(settled, table, key)
                : settled.Format == InputFormat.Keys ? LookForHeader(settled, key!)
                : settled;
            look = WithoutHeader(look, table, key);
            if (_request.Part is { } asked && look is { Part: null, IsEmpty: false })
            {
                // By now all is known that decides where a record ends.
                var part = PartFinder.Find(look, asked, _request.Source, _dividing, _cancellation);
                _looks[i] = (settled.In(part), opened, spool);
                look = look.In(part);
            }

            var mapping = before is not null && look.HasFieldsOf(before.Look) ? before.Mapping : _request.Kind == JobKind.Delete
                ? KeyMapping.Create(look.Name, look.Format == InputFormat.Keys
                    ? null
                    : look.FieldNames, look.FieldCount, table, key!, _request, look.FieldLines, elsewhere)
                : ColumnMapping.Create(
                    look.Name, look.FieldNames, look.FieldCount, table, _request, look.HeaderHint, key, look.FieldLines, elsewhere,
                    look.IsEmpty);
            var source = new LoadSource(look, first is null || ReferenceEquals(mapping, before?.Mapping)
                ? mapping : mapping.InOrderOf(first.Mapping, look.Name, first.Look.Name), opened, spool);
            source = source with { Bits = BitFields.Find(look, source.Mapping, _request) };
            BitFields.RequireOwnBytes(source, _request);
            _headers.AddRange(FieldNotes.Of(source, _request));
            mapped[i] = before = Known(source, opened);
            first ??= mapped[i];
        }

        Mapped = mapped;
        return first!.Mapping.Columns;

        LoadSource Known(LoadSource source, object? opened)
        {
            // A preview stores a pipe that the import itself reads only once; the import does not know it by its content.
            var isPipe = opened is not null || (source.Spool is not null && _request.Kind == JobKind.Import && !_request.Mode.Writes);
            return _request.AsksLedger && !isPipe
                ? source with { Content = SourceContent.Look(source, _request.Source, CancellationToken.None) }
                : source;
        }
    }

    private SourceInfo SettleDelimiter(
        SourceInfo look, InputFile? opened, Spool? spool, TableFacts table, IReadOnlyList<TableColumn>? key)
    {
        if (!Features.Files)
        {
            return look;
        }

        InputFile? again = null;
        try
        {
            var settled = DelimiterByTable.Settle(
                look, () => opened ?? (again = Open(look, spool, CancellationToken.None)), _request, table, key);
            return ReferenceEquals(settled, look) ? look : HeaderRules.Apply(settled, _request);
        }
        finally
        {
            again?.Dispose();
        }
    }

    /// <summary>Adds to a JSON input the keys and paths that are read.</summary>
    private SourceInfo WithKeys(SourceInfo look, TableFacts table, IReadOnlyList<TableColumn>? key)
    {
        var seen = look.FieldNames ?? [];
        return look with
        {
            FieldNames = _request.Kind == JobKind.Delete
                ? JsonFields.ChooseKeys(seen, key!, _request) : JsonFields.Choose(seen, table, _request),
            Paths = JsonFields.PathsOf(seen, _request),
        };
    }

    /// <summary>Fields of <c>--map</c> that one of several inputs has, or may have.</summary>
    private HashSet<string>? MappedFieldsThatAreThere()
    {
        if (_request.Map.Count == 0 || _looks.Count == 1)
        {
            return null;
        }

        var found = new HashSet<string>();
        foreach (var (look, _, _) in _looks)
        {
            if (look.Format.IsJson())
            {
                // The keys of this input are known only at its end.
                return [.. _request.Map.Select(pair => pair.Key)];
            }

            var map = new FieldMap(_request.Map, look.FieldNames, look.FieldCount);
            for (var field = 0; field < look.FieldCount; field++)
            {
                map.TargetOf(field, look.FieldNames?[field]);
            }

            found.UnionWith(map.Found.Select(one => one.Key));
        }

        return found;
    }

    /// <summary>For an input without a header: refuses a first record that names columns, since a header would be loaded as a record. An
    /// input without records gets one field for each column.</summary>
    private SourceInfo WithoutHeader(SourceInfo look, TableFacts table, IReadOnlyList<TableColumn>? key)
    {
        if (!look.Format.HasPlaces() || look.FieldNames is not null)
        {
            return look;
        }

        HeaderRules.RequireRecord(look, _request, table);
        return look.IsEmpty ? look with { FieldCount = ColumnMapping.CountWithoutHeader(table, _request, key) } : look;
    }

    /// <summary>A list of keys has a header if its first line is the key column's name, unless the user says something else.</summary>
    private SourceInfo LookForHeader(SourceInfo look, IReadOnlyList<TableColumn> key)
    {
        if (key is not [var column])
        {
            throw new PlanException(
                $"{look.Name}: a list of keys holds one value a line, and the key has {key.Count} columns "
                    + $"({string.Join(", ", key.Select(part => part.Name))}): give them as a CSV file with a header");
        }

        KeyList.Require(look, column, _request.Source);
        look = look with { KeepsBlanks = column.IsCharacter ? !_request.Values.Trim : BitFields.IsRaw(look, column, _request) };
        if (_request.Source.HasHeader is not null || !string.Equals(look.FirstKey, column.Name, StringComparison.OrdinalIgnoreCase))
        {
            return look with { FieldCount = 1 };
        }

        _headers.Add($"{look.Name}: the first line, '{look.FirstKey}', is taken as a header, since it is the key's name (--no-header "
            + "takes it as a key)");
        return look with { HasHeader = true, FieldNames = [look.FirstKey!], FieldCount = 1, EstimatedRecords = look.EstimatedRecords - 1 };
    }

    public IReadOnlyList<PlannedSource> Describe()
    {
        var parts = new SharedParts();
        return [.. _looks.Select(source => new PlannedSource(
            source.Look.Name,
            source.Look.Format.Word(),
            source.Look.Compression.ToString().ToLowerInvariant(),
            source.Look.EncodingName,
            source.Look.Length,
            source.Look.EstimatedRecords)
        {
            Part = PlannedPart.Of(source.Look.Part),
            Detections = source.Look.Detections,
            Undivided = source.Look.FindUndivided(_request.Source),
            Spec = parts.OfOne(SourceSpec.Of(source.Look, _request))!,
        })];
    }

    public void Dispose()
    {
        foreach (var (_, opened, spool) in _looks)
        {
            opened?.Dispose();
            spool?.Dispose();
        }
    }
}
