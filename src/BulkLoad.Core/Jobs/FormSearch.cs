using BulkLoad.Core.Input;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Suggesting;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Jobs;

/// <summary>How the files have to be read; their values come later.</summary>
/// <param name="Options">in the order in which they were found</param>
/// <param name="Guesses">for people</param>
internal sealed record FoundForm(IReadOnlyList<SuggestedOption> Options, long Records, long Faulty, IReadOnlyList<string> Guesses)
{
    public IReadOnlyList<string> Words => [.. Options.SelectMany(option => option.Words)];
}

/// <summary>Searches options that make the files readable for a table: repairs, quotes and escapes, delimiters, the header, names of
/// columns. It tries each on the records, and drops one that does not help.</summary>
/// <param name="bind">makes the request of a command with such options</param>
/// <param name="request">has the options that the user typed</param>
/// <param name="table">null: there is none yet</param>
internal sealed class FormSearch(
    Func<IReadOnlyList<string>, LoadRequest> bind, LoadRequest request, TableFacts? table, ValueZone zone, ILogger log)
{
    private const int MaxOptions = 6;

    public IProgress<LoadProgress>? Progress { get; init; }

    private static readonly string[] Skipped = [.. from kind in (DirtKind[])
        [DirtKind.EmptyLines, DirtKind.RepeatedHeader, DirtKind.Preamble, DirtKind.Footer] select Repair(kind)];

    private static readonly string[] Delimiters = [",", ";", "\\t", "|", "^", "~", "#"];

    /// <param name="encoding">options of the most likely encoding</param>
    /// <exception cref="BulkLoadException">the files cannot be read, or do not fit the table, with any option</exception>
    public FoundForm Find(IReadOnlyList<string> encoding, CancellationToken cancellationToken)
    {
        List<SuggestedOption> options = [];
        var now = Try([.. encoding], cancellationToken);
        while (!now.IsGood && options.Count < MaxOptions)
        {
            Trial? best = null;
            SuggestedOption? chosen = null;
            string[] had = [.. encoding, .. options.SelectMany(option => option.Words)];
            foreach (var candidate in Candidates(now, options))
            {
                var next = Try([.. had, .. candidate.Words], cancellationToken);
                if (candidate.Words.Contains("--no-header") && next is not { Refused: 0, HasTyped: true })
                {
                    // A header's names are no values. In a file where all is text, nothing shows that it has a header.
                    continue;
                }

                if ((next.IsBetterThan(best ?? now) || (best is not null && now.Failure is null && next.IsAheadOf(best, now)))
                    && !MaySkipRecords(candidate, now.Lines - next.Lines, had, options, cancellationToken))
                {
                    var effect = Effect(candidate, now, next);
                    var why = candidate.Why.Length == 0 ? effect : $"{candidate.Why}: {effect}";
                    (best, chosen) = (next, candidate with { Why = why });
                }

                if (best is { IsGood: true } && (now.Failure is not null || best.Refused <= now.Refused))
                {
                    break;
                }
            }

            if (best is null || chosen is null)
            {
                break;
            }

            options.Add(chosen);
            now = best;
        }

        return now.Failure is null ? new FoundForm(options, now.Records, now.Faulty, now.Guesses) : throw now.Failure;
    }

    /// <summary>Whether lines that an option skips at the end may be records with a fault. Where repairs make records of such lines, a
    /// footer is only what cannot be one.</summary>
    private bool MaySkipRecords(
        SuggestedOption option, long skipped, string[] had, List<SuggestedOption> options, CancellationToken cancellationToken)
    {
        if (option.Words[^1] != Repair(DirtKind.Footer))
        {
            return false;
        }

        string[] repairing = [.. had, .. from kind in (DirtKind[])[DirtKind.FewFields, DirtKind.ManyFields]
            where IsFree("--dirt", [Repair(kind)], options) from word in (string[])["--dirt", Repair(kind)] select word];
        return skipped != Try(repairing, cancellationToken).Lines - Try([.. repairing, .. option.Words], cancellationToken).Lines;
    }

    private static string Repair(DirtKind kind) => $"{DirtPolicies.NameOf(kind)}=repair";

    private static string Effect(SuggestedOption option, Trial before, Trial after)
    {
        if (before.Faulty <= after.Faulty)
        {
            return "a choice";
        }

        // The rest of the message is advice about correcting the file.
        var first = before.First is { } one ? $", the first in {one.Place}: {one.Message.Split(';')[0].Split(" (")[0]}" : "";
        var count = before.Faulty - after.Faulty;
        return (Skipped.Contains(option.Words[^1]) ? $"skips {Plural.Count(count, "line")}" : $"takes {Plural.Count(count, "record")} more")
            + $"{first} (a choice: else {(count == 1 ? "it is" : "they are")} refused)";
    }

    /// <summary>The most likely first.</summary>
    private IEnumerable<SuggestedOption> Candidates(Trial now, List<SuggestedOption> had)
    {
        IEnumerable<SuggestedOption> found = now.Failure is { } failure ? OfFailure(failure) : OfFaults(now.Codes);
        return found.Where(option => IsFree(option.Words[0], option.Words.Skip(1), had));
    }

    /// <summary>Whether neither the user nor this search has set the option.</summary>
    private bool IsFree(string name, IEnumerable<string> value, List<SuggestedOption> had) => name switch
    {
        "--quote" => request.Source.Quote is null,
        "--escape" => request.Source.Escape is null,
        "--delimiter" => request.Source.Delimiter is null,
        "--header" or "--no-header" => request.Source.HasHeader is null,
        "--columns" => request.Columns is null && request.Map.Count == 0,
        "--map" => request.Columns is null,
        "--dirt" => DirtPolicies.Find(value.First().Split('=')[0]) is not { } kind || !request.Source.Dirt.Names(kind),
        _ => true,
    } && !had.Exists(option => option.Words[0] == name && (name is not ("--dirt" or "--map") || option.Words.Skip(1).SequenceEqual(value)));

    private IEnumerable<SuggestedOption> OfFailure(BulkLoadException failure)
    {
        foreach (var way in failure.WaysOn.Where(
            way => way is { Command: null, Words.Count: > 0, Without.Count: 0 } && IsOfForm(way.Words[0])))
        {
            yield return new SuggestedOption(way.Words, way.Purpose);
        }

        yield return new(["--dirt", "padding=repair"], "blanks around names or values");
        yield return new(["--dirt", "preamble=repair"], "lines before the header");
        foreach (var delimiter in Delimiters)
        {
            yield return new(["--delimiter", delimiter], "the delimiter");
        }

        yield return new(["--quote", ""], "quotes are text");
        if (table is not null)
        {
            yield return new(["--no-header"], "the first line is a record");
            var names = table.Columns.Where(column => !column.IsGenerated).Select(column => column.Name);
            yield return new(["--no-header", "--columns", string.Join(',', names)],
                "the first line is a record, and its fields are the table's columns in their order");
        }
    }

    private static bool IsOfForm(string option) => option is "--map" or "--columns" or "--dirt" or "--delimiter" or "--quote" or "--escape"
        or "--header" or "--no-header" or "--format" or "--json-path" or "--skip-lines";

    private static IEnumerable<SuggestedOption> OfFaults(IReadOnlyDictionary<string, long> codes)
    {
        if (codes.Keys.Any(code => code.Contains("quote", StringComparison.Ordinal)))
        {
            yield return new(["--escape", "\\"], "a backslash before quotes");
        }

        foreach (var code in codes.OrderByDescending(code => code.Value).Select(code => code.Key))
        {
            if (DirtPolicies.Find(code) is { } kind)
            {
                yield return new(["--dirt", Repair(kind)], "");
            }
        }

        foreach (var kind in (DirtKind[])[DirtKind.Footer, DirtKind.Preamble, DirtKind.OtherDialect, DirtKind.Padding])
        {
            yield return new(["--dirt", Repair(kind)], "");
        }

        yield return new(["--quote", ""], "quotes are text");
    }

    private Trial Try(IReadOnlyList<string> words, CancellationToken cancellationToken)
    {
        try
        {
            var bound = bind(words);
            bound.Validate();
            using var sources = SourceSet.Look(bound, log, cancellationToken);
            if (table is null)
            {
                sources.RequireForTable();
            }

            var survey = new Survey(bound, zone) { Progress = new PassProgress(Progress, "looking for options", sources.TotalBytes) };
            survey.Read(sources, table, cancellationToken);
            return new Trial(null, survey.Records, survey.Faulty, survey.Codes, survey.First, sources.Guesses)
            {
                Refused = survey.Columns.Sum(column => column.Values - column.Plain),
                HasTyped = survey.Columns.Any(column => column is { Column: not null, Values: > 0 }),
            };
        }
        catch (Exception fault) when (fault is BulkLoadException || fault is FormatException)
        {
            log.HintFailed(fault);
            return new Trial(
                fault as BulkLoadException ?? new RequestException(fault.Message), 0, 0, new Dictionary<string, long>(), null, []);
        }
    }

    /// <param name="Failure">why the files cannot be read; null: they can</param>
    private sealed record Trial(
        BulkLoadException? Failure, long Records, long Faulty, IReadOnlyDictionary<string, long> Codes,
        (string Place, string Message)? First, IReadOnlyList<string> Guesses)
    {
        /// <summary>Number of values that the rules refuse.</summary>
        public long Refused { get; init; }

        public bool HasTyped { get; init; }

        /// <summary>Number of records, refused ones too.</summary>
        public long Lines => Records + Faulty;

        public bool IsGood => Failure is null && Faulty == 0;

        public bool IsBetterThan(Trial other) => Failure is null && (other.Failure is not null
            ? Records > 0 && Faulty <= Records
            : Faulty < other.Faulty && Records >= other.Records && Refused <= other.Refused + (other.Faulty - Faulty));

        /// <summary>Whether it helps as much as the other, with fewer values that the rules refuse.</summary>
        public bool IsAheadOf(Trial other, Trial before) =>
            IsBetterThan(before) && Faulty == other.Faulty && Refused < other.Refused;
    }
}
