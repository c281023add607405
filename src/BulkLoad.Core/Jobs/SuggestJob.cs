using BulkLoad.Core.Inference;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Suggesting;
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

    /// <summary>What came through standard input; null: it is no input.</summary>
    private Spool? _spool;

    /// <exception cref="BulkLoadException">files, server or table are not as they must be</exception>
    public async Task<SuggestReport> RunAsync(CancellationToken cancellationToken)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        request.Validate();
        new NotationSet(request.Values.Formats).Validate();
        using var spool = SpoolOf(cancellationToken);
        _spool = spool;
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
        var found = WithSuggested(In(first), composer);
        if (table is not null)
        {
            return report with { Check = await new LoadJob(found, loggers, progress, _time).RunAsync(cancellationToken) };
        }

        var design = await Task.Run(() => Design(found, ready.Server.Zone, cancellationToken), cancellationToken);
        return report with { NewColumns = [.. design.Columns.Select(column => column.Define())], KeyColumns = design.UniqueColumns };
    }

    private SourceSet Look(EncodingCandidate? encoding, CancellationToken cancellationToken) =>
        SourceSet.Look(In(encoding), loggers.CreateLogger<SuggestJob>(), cancellationToken);

    private (EncodingCandidate?, Survey, Composer) Read(
        EncodingCandidate? encoding, SourceSet sources, TableFacts? table, ValueZone zone, CancellationToken cancellationToken)
    {
        var survey = new Survey(In(encoding), zone);
        progress?.Report(new LoadProgress(0, null, 0, 0, "reading values"));
        survey.Read(sources, table, cancellationToken);
        var composer = new Composer(survey.Columns);
        composer.Compose();
        return (encoding, survey, composer);
    }

    /// <summary>The request for one more reading, in an encoding.</summary>
    private LoadRequest In(EncodingCandidate? encoding) => request with
    {
        Source = encoding is null ? request.Source : request.Source with { Encoding = encoding.Name },
        StandardInput = _spool?.Read(),
    };

    /// <exception cref="RequestException">a file is a pipe, and there is no standard input in its place</exception>
    private Spool? SpoolOf(CancellationToken cancellationToken)
    {
        var paths = InputPaths.Expand(request.Files);
        foreach (var path in paths.Where(path => path != InputPaths.StandardInput))
        {
            using var file = InputFile.OpenFile(path);
            if (!file.CanSeek)
            {
                throw new RequestException(
                    $"--suggest reads its input several times, and {path} is a pipe: name a file, or - for standard input");
            }
        }

        return paths.Contains(InputPaths.StandardInput)
            ? Spool.Of(request.StandardInput ?? throw new RequestException("there is no standard input"), SourceSet.StandardInputName, null,
                request.TempFolder, cancellationToken)
            : null;
    }

    private static LoadRequest WithSuggested(LoadRequest decoded, Composer composer) => decoded with
    {
        GoesOnBeyondMaxRejects = true,
        Values = decoded.Values with
        {
            Formats = [.. decoded.Values.Formats, .. composer.Formats],
            NullTexts = [.. decoded.Values.NullTexts, .. composer.Nulls],
            Trim = decoded.Values.Trim || composer.Trims,
        },
    };

    /// <summary>The table that <c>--create</c> would make.</summary>
    private TableDesign Design(LoadRequest found, ValueZone zone, CancellationToken cancellationToken)
    {
        using var sources = SourceSet.Look(found, loggers.CreateLogger<SuggestJob>(), cancellationToken);
        return sources.Survey(zone, new GivenTypes([], SqlDialect.MySql), cancellationToken);
    }

    /// <summary>Empty where all files are UTF-8, or say themselves what they are.</summary>
    private IReadOnlyList<EncodingCandidate> FindEncodings(CancellationToken cancellationToken)
    {
        var evidence = new EncodingEvidence();
        var buffer = new byte[64 * 1024];
        foreach (var path in InputPaths.Expand(request.Files))
        {
            using var input = path == InputPaths.StandardInput
                ? InputFile.Open(_spool!, request.Source, cancellation: cancellationToken)
                : InputFile.Open(path, request.Source, cancellation: cancellationToken);
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
