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

/// <summary>Finds options with which an import takes every record, and checks the files with each command. Writes nothing.</summary>
/// <param name="request">a check, with the options that the user typed</param>
/// <param name="import">reads the options of an import: those that the user typed, followed by others</param>
/// <param name="progress">progress of the check; called after each batch; must be quick</param>
internal sealed class SuggestJob(
    LoadRequest request, Func<IReadOnlyList<string>, LoadRequest> import, ILoggerFactory loggers,
    IProgress<LoadProgress>? progress = null, TimeProvider? time = null)
{
    private const int MaxEncodings = 4;

    /// <summary>Limit of commands that are tried.</summary>
    private const int MaxCommands = 6;

    private readonly TimeProvider _time = time ?? TimeProvider.System;
    private readonly ILogger _log = loggers.CreateLogger<SuggestJob>();

    /// <summary>Content of standard input; null: it is no input.</summary>
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
        await using var ready = await ReadySession.OpenAsync(
            async token =>
                await ServerSession.ConnectAsync(request.SideConnection, token), request.Values, _time,
                    cancellationToken);
        var name = TableName.Of(request, FirstPath);
        var database = name.Database ?? ready.Server.Database
            ?? throw new PlanException($"no database named for table {name.Table}: add --database, or write --table database.{name.Table}");
        var table = (await ready.Session.QueryAsync(CatalogSql.Table(database, name.Table), cancellationToken)).Rows.Count == 0
            ? null
            : (await TableProbe.LookAsync(ready.Session, database, name.Table, cancellationToken)).ToJudgeBy();
        var zone = ready.Server.Zone;
        var search = new FormSearch(words => Bind(words), request, table, zone, _log)
        {
            Progress = progress,
        };
        var form = await Task.Run(() => search.Find(EncodingWords(candidates[0]), cancellationToken), cancellationToken);
        List<(SuggestVariant Variant, bool KnowsWords)> read = [];
        foreach (var encoding in candidates)
        {
            read.Add(await Task.Run(() => Read(encoding, form, table, zone, cancellationToken), cancellationToken));
        }

        // If words of a column are known in one encoding only, it is that one.
        read = read.Count(one => one.KnowsWords) == 1 ? [.. read.Where(one => one.KnowsWords)] : read;
        List<SuggestVariant> variants = [.. read.Select(one => one.Variant)];
        var tried = await TryAsync(variants, form.Words, table is null, cancellationToken);
        var taking = tried.FindAll(one => one.Command.TakesAll);
        var left = taking.Count > 0 ? taking : [tried.MaxBy(one => one.Command.Check.Counts.Read - one.Command.Check.Counts.Rejected)];
        return new SuggestReport
        {
            Files = request.Files,
            Table = $"{database}.{name.Table}",
            IsNewTable = table is null,
            Records = form.Records,
            Faulty = form.Faulty,
            Guesses = form.Guesses,
            Form = form.Options,
            Variants = [.. left.Select(one => one.Variant).Distinct().Select(variant => variant.With(
                [.. left.Where(one => one.Variant == variant).Select(one => one.Command.Words)]))],
            Commands = [.. left.Select(one => one.Command)],
        };
    }

    private string FirstPath =>
        InputPaths.Expand(request.Files)[0] is var path && path == InputPaths.StandardInput ? request.StandardInputName : path;

    private static IReadOnlyList<string> EncodingWords(EncodingCandidate? encoding) =>
        encoding is null ? [] : ["--encoding", encoding.Name];

    /// <summary>The request of a command with such options, as a check.</summary>
    /// <exception cref="BulkLoadException">the options are not possible</exception>
    private LoadRequest Bind(IReadOnlyList<string> words) => import(words) with
    {
        Connection = request.Connection,
        StandardInput = _spool?.Read(),
        Mode = JobMode.Check,
        GoesOnBeyondMaxRejects = true,
        RejectFile = null,
        RepairsFile = null,
    };

    /// <summary>Checks the files with each command.</summary>
    private async Task<List<(SuggestVariant Variant, TriedCommand Command)>> TryAsync(
        IReadOnlyList<SuggestVariant> variants, IReadOnlyList<string> form, bool isNew, CancellationToken cancellationToken)
    {
        List<(SuggestVariant, TriedCommand)> tried = [];
        foreach (var (variant, words) in variants.SelectMany(variant => variant.Commands(form), (variant, words) => (variant, words))
            .Take(MaxCommands))
        {
            IReadOnlyList<string> all = isNew ? ["--create", .. words] : words;
            LoadReport check;
            try
            {
                var job = new LoadJob(Bind(all), loggers, tried.Count == 0 ? progress : null, _time);
                check = await job.RunAsync(cancellationToken);
            }
            catch (RequestException fault) when (words.Count > 0)
            {
                _log.HintFailed(fault);
                continue;
            }

            cancellationToken.ThrowIfCancellationRequested();
            tried.Add((variant, new TriedCommand(all, check)));
        }

        return tried.Count > 0 || variants.All(variant => variant.Options.Count + variant.Choices.Count == 0)
            ? tried : await TryAsync([variants[0] with { Options = [], Choices = [] }], form, isNew, cancellationToken);
    }

    private (SuggestVariant, bool) Read(
        EncodingCandidate? encoding, FoundForm form, TableFacts? table, ValueZone zone, CancellationToken cancellationToken)
    {
        var bound = Bind([.. EncodingWords(encoding), .. form.Words]);
        using var sources = SourceSet.Look(bound, _log, cancellationToken);
        var survey = new Survey(bound, zone) { Progress = new PassProgress(progress, "reading values", sources.TotalBytes) };
        survey.Read(sources, table, cancellationToken);
        var composer = new Composer(survey.Columns);
        composer.Compose();
        return (new SuggestVariant(encoding, composer.Options, composer.Choices, composer.Unsolved), composer.KnowsWords);
    }

    /// <exception cref="RequestException">a file is a pipe other than standard input</exception>
    private Spool? SpoolOf(CancellationToken cancellationToken)
    {
        var paths = InputPaths.Expand(request.Files);
        foreach (var path in paths.Where(path => path != InputPaths.StandardInput))
        {
            using var file = InputFile.OpenFile(path, cancellationToken);
            if (!file.CanSeek)
            {
                throw new RequestException(
                    $"--suggest reads its input several times, and {path} is a pipe: name a file, or - for standard input");
            }
        }

        return paths.Contains(InputPaths.StandardInput)
            ? Spool.Of(request.StandardInput ?? throw new RequestException("there is no standard input"), request.StandardInputName, null,
                request.TempFolder, cancellationToken)
            : null;
    }

    /// <returns>empty: all files are UTF-8, or say their encoding themselves</returns>
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

            var pass = new PassProgress(progress, "looking for the encoding", input.Length);
            int count;
            while ((count = input.Content.Read(buffer)) > 0)
            {
                cancellationToken.ThrowIfCancellationRequested();
                evidence.Add(buffer.AsSpan(0, count));
                pass.At(input.BytesRead);
            }
        }

        return evidence.Find(MaxEncodings);
    }
}
