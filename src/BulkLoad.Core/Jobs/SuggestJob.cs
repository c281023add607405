using BulkLoad.Core.Feed;
using BulkLoad.Core.Inference;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Suggesting;
using BulkLoad.Core.Values;
using BulkLoad.Core.Values.Notations;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Jobs;

/// <summary>Reads every record, finds the options by which an import takes all of them, and checks the files with these. Writes
/// nothing.</summary>
/// <param name="request">a check, with what the user said already</param>
/// <param name="loggers">where log messages go</param>
/// <param name="progress">of the check; called after each batch; must be quick</param>
public sealed class SuggestJob(
    LoadRequest request, ILoggerFactory loggers, IProgress<LoadProgress>? progress = null, TimeProvider? time = null)
{
    private const int MostEncodings = 4;

    private readonly TimeProvider _time = time ?? TimeProvider.System;

    /// <exception cref="BulkLoadException">files, server or table are not as they must be</exception>
    public async Task<SuggestReport> RunAsync(CancellationToken cancellationToken)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        request.Validate();
        new NotationSet(request.Values.Formats).Validate();
        var encodings = request.Source.Encoding is null ? await Task.Run(() => FindEncodings(cancellationToken), cancellationToken) : [];
        EncodingCandidate?[] candidates = encodings.Count == 0 ? [null] : [.. encodings];
        using var sources = Look(candidates[0], cancellationToken);
        await using var ready = await ReadySession.OpenAsync(
            async token =>
                await ServerSession.ConnectAsync(request.Connection with { OffersLocalInfile = false }, token), request.Values, _time,
                    cancellationToken);
        var name = TableName.Of(request, sources.FirstPath);
        var database = name.Database ?? ready.Server.Database
            ?? throw new PlanException($"no database named for table {name.Table}: add --database, or write --table database.{name.Table}");
        var table = (await ready.Session.QueryAsync(CatalogSql.Table(database, name.Table), cancellationToken)).Rows.Count == 0
            ? null
            : await TableProbe.LookAsync(ready.Session, database, name.Table, cancellationToken);
        List<(EncodingCandidate? Encoding, Survey Survey, Composer Composer)> read = [];
        foreach (var encoding in candidates)
        {
            using var others = encoding == candidates[0] ? null : Look(encoding, cancellationToken);
            read.Add(
                await Task.Run(() => Read(encoding, others ?? sources, table, ready.Server.Zone, cancellationToken), cancellationToken));
        }

        // Words that are known only in one encoding say which it is.
        read = read.Count(one => one.Composer.KnowsWords) == 1 ? [.. read.Where(one => one.Composer.KnowsWords)] : read;
        var (first, survey, composer) = read[0];
        var report = new SuggestReport
        {
            Files = request.Files,
            Table = $"{database}.{name.Table}",
            IsNewTable = table is null,
            Records = survey.Records,
            Faulty = survey.Faulty,
            Guesses = sources.Guesses,
            Variants = [.. read.Select(
                one => new SuggestVariant(one.Encoding, one.Composer.Options, one.Composer.Choices, one.Composer.Unsolved))],
        };
        return table is null ? report : report with { Check = await CheckAsync(In(first), composer, cancellationToken) };
    }

    private SourceSet Look(EncodingCandidate? encoding, CancellationToken cancellationToken) =>
        SourceSet.Look(In(encoding), loggers.CreateLogger<SuggestJob>(), cancellationToken);

    private (EncodingCandidate?, Survey, Composer) Read(
        EncodingCandidate? encoding, SourceSet sources, TableFacts? table, ValueZone zone, CancellationToken cancellationToken)
    {
        var survey = new Survey(In(encoding), zone);
        survey.Read(sources, table, cancellationToken);
        var composer = new Composer(survey.Columns);
        composer.Compose();
        return (encoding, survey, composer);
    }

    private LoadRequest In(EncodingCandidate? encoding) =>
        encoding is null ? request : request with { Source = request.Source with { Encoding = encoding.Name } };

    private async Task<LoadReport> CheckAsync(LoadRequest decoded, Composer composer, CancellationToken cancellationToken)
    {
        var values = decoded.Values;
        return await new LoadJob(
            decoded with
            {
                GoesOnBeyondMaxRejects = true,
                Values = values with
                {
                    Formats = [.. values.Formats, .. composer.Formats],
                    NullTexts = [.. values.NullTexts, .. composer.Nulls],
                    Trim = values.Trim || composer.Trims,
                },
            },
            loggers, progress, _time).RunAsync(cancellationToken);
    }

    /// <summary>Empty where all files are UTF-8, or say themselves what they are.</summary>
    private IReadOnlyList<EncodingCandidate> FindEncodings(CancellationToken cancellationToken)
    {
        var evidence = new EncodingEvidence();
        var buffer = new byte[64 * 1024];
        foreach (var path in InputPaths.Expand(request.Files))
        {
            if (path == InputPaths.StandardInput)
            {
                throw new RequestException("--suggest reads the input several times: name a file in place of standard input");
            }

            using var input = InputFile.Open(path, request.Source, cancellation: cancellationToken);
            if (input.HasKnownEncoding)
            {
                return [];
            }

            int count;
            while ((count = input.Content.Read(buffer)) > 0)
            {
                cancellationToken.ThrowIfCancellationRequested();
                evidence.Add(buffer.AsSpan(0, count));
            }
        }

        return evidence.Find(MostEncodings);
    }
}

/// <summary>Reads all records once, and shows each field to its column's study.</summary>
internal sealed class Survey(LoadRequest request, ValueZone zone)
{
    private readonly List<FieldStudy> _columns = [];
    private readonly Dictionary<string, FieldStudy> _byName = new(StringComparer.OrdinalIgnoreCase);

    public IReadOnlyList<FieldStudy> Columns => _columns;

    public long Records { get; private set; }

    public long Faulty { get; private set; }

    /// <param name="table">null: there is none yet</param>
    /// <exception cref="MappingException">the fields do not fit the table, or cannot be columns</exception>
    public void Read(SourceSet sources, TableFacts? table, CancellationToken cancellationToken)
    {
        if (table is not null)
        {
            sources.MapTo(table, key: null);
            foreach (var source in sources.Mapped)
            {
                Read(source, only: null, long.MaxValue, cancellationToken);
            }

            return;
        }

        foreach (var (look, input) in sources.OpenAll(cancellationToken))
        {
            using var _ = input;
            using var reader = RecordReaders.Create(input, request.Source, look);
            var targets = new FieldColumns(look, request);
            targets.Extend(reader.FieldNames, look.Format.IsJson() ? reader.FieldNames!.Count : look.FieldCount);
            Read(reader, look.Format,
                [.. targets.Targets.Select((target, field) => (field, target is null ? null : StudyOf(target, null, look.Format)))],
                long.MaxValue, cancellationToken);
        }
    }

    /// <param name="source">mapped; can be read again</param>
    /// <param name="only">the column that is looked at; null: all</param>
    /// <param name="most">records to read at most</param>
    public void Read(LoadSource source, string? only, long most, CancellationToken cancellationToken)
    {
        using var input = source.Open(request.Source, cancellationToken);
        using var reader = source.CreateReader(input, request.Source);
        var mapping = source.Mapping;
        var fields = mapping.Columns.Select((column, i) => (mapping.FieldOf[i],
            (FieldStudy?)(only is null || column.Name == only ? StudyOf(column.Name, column, source.Look.Format) : null)));
        Read(reader, source.Look.Format, [.. fields], most, cancellationToken);
    }

    private void Read(
        IRecordReader reader, InputFormat format, (int Field, FieldStudy? Study)[] fields, long most, CancellationToken cancellationToken)
    {
        var isJson = format.IsJson();
        while (Records < most && reader.Read())
        {
            if ((Records & 0xFFF) == 0)
            {
                cancellationToken.ThrowIfCancellationRequested();
            }

            if (reader.Fault is not null)
            {
                Faulty++;
                continue;
            }

            Records++;
            foreach (var (field, study) in fields)
            {
                if (study is not null)
                {
                    study.Add(reader.GetField(field, out var value), value, reader.RecordNumber, isJson);
                }
            }
        }
    }

    private FieldStudy StudyOf(string name, TableColumn? column, InputFormat format)
    {
        if (!_byName.TryGetValue(name, out var study))
        {
            var values = request.Values.In(format);
            study = new FieldStudy(name, column, RuleOptions.Of(values, zone), values);
            _columns.Add(study);
            _byName.Add(name, study);
        }

        return study;
    }
}
