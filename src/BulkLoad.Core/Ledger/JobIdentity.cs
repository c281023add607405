using System.Security.Cryptography;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input;
using BulkLoad.Core.Options;
using BulkLoad.Core.Values;

namespace BulkLoad.Core.Ledger;

/// <summary>What makes a job the same when it is started again: table, command, mapping and the content of its inputs.</summary>
/// <param name="Id">its name in the ledger; before the ledger was looked at, the name that the version before gave it</param>
/// <param name="Fingerprint">of table, command and mapping, as the version before had it</param>
/// <param name="IsLasting">whether another start has the same name: not where an input is a pipe and the user named no job</param>
internal sealed record JobIdentity(string Id, string Fingerprint, bool IsLasting)
{
    private const int IdDigits = 16;

    /// <summary>Of table and command: jobs of one family are looked at together. Empty: those of other starts are not looked at.</summary>
    public string Family { get; init; } = "";

    /// <summary>The name of the row that starts of one first record, or of one job's name, lock before they look.</summary>
    public string Slot { get; init; } = "";

    /// <summary>Whether the user has named the job.</summary>
    public bool IsNamed { get; init; }

    /// <summary>The name that the version before gave the job.</summary>
    public string FormerId { get; init; } = "";

    public static JobIdentity Of(LoadFacts facts, IReadOnlyList<LoadSource> sources)
    {
        var request = facts.Request;
        var words = new List<string?> { CommandOf(
            request), facts.Table.Database, facts.Table.Name, request.OnDuplicate.ToString(), request.Key.Where };
        words.AddRange(facts.Key?.Columns.Select(column => $"key {column.Name}") ?? []);
        words.AddRange(facts.Assignments.Select(assignment => $"set {assignment.Column}={assignment.Expression}"));
        foreach (var source in sources)
        {
            // The keys of JSON objects are learned from the first of them, which may be corrected.
            words.AddRange(source.Look.Format.IsJson()
                ? [.. request.Map.Select(pair => $"{pair.Key} to {pair.Value}"), .. request.Columns ?? []]
                : source.Mapping.Fields.Select(field => $"{field.Field} to {field.Column}"));
            words.Add("");
        }

        var fingerprint = Hash(words);
        var family = FamilyOf(facts);
        if (request.JobId is { } id)
        {
            return new JobIdentity(id, fingerprint, IsLasting: true) { Family = family, Slot = id, IsNamed = true };
        }

        if (!sources.All(source => source.Look is { Path: not null, Length: not null }))
        {
            return new JobIdentity($"pipe-{Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(IdDigits / 2))}", fingerprint,
                IsLasting: false)
            { Family = family };
        }

        var former = Hash([fingerprint, .. sources.Select(source => Path.GetFullPath(source.Look.Path!))])[..IdDigits];
        var first = sources.Select(source => $"{MappingOf(source, request)} {source.Content?.First}").Min(StringComparer.Ordinal);
        return new JobIdentity(
            former, fingerprint, IsLasting: true)
        { Family = family, Slot = Hash([family, first])[..IdDigits], FormerId = former };
    }

    /// <summary>
    /// Where an input's fields go, by their places: what they are called does not count, but in JSON lines, which have nothing else.
    /// Whether a field of <c>--map</c> must be there does not count either.
    /// </summary>
    public static string MappingOf(LoadSource source, LoadRequest request)
    {
        var columns = request.Columns ?? [];
        var known = source.Look.FieldNames?.ToHashSet(StringComparer.OrdinalIgnoreCase) ?? [];
        (string Field, string Target)[] map = [.. request.Map.Select(pair => (FieldMap.NameIn(pair.Key, known), pair.Value))];
        return Hash(source.Look.Format.IsJson()
            ? ["json", .. map.Select(pair => $"{pair.Field} to {pair.Target}").Order(StringComparer.Ordinal), .. columns]
            : source.Mapping.Fields.Select((field, place) => field.Column
                ?? (columns.ElementAtOrDefault(place) is ['@', ..] variable
                    ? variable
                    : map.FirstOrDefault(pair => pair.Field == field.Field).Target)))[..IdDigits];
    }

    /// <summary>The name of the nth job of a slot, the first of which has the slot's.</summary>
    public string Nth(int number) => number == 0 ? Slot : Hash([Slot, $"{number}"])[..IdDigits];

    private static string FamilyOf(LoadFacts facts)
    {
        var request = facts.Request;
        List<string?> words = [CommandOf(request), facts.Table.Database, facts.Table.Name, request.OnDuplicate.ToString()];
        words.AddRange(facts.Key?.Columns.Select(column => $"key {column.Name}") ?? []);
        words.AddRange(facts.Assignments.Select(assignment => $"set {assignment.Column}={assignment.Expression}"));
        return Hash(words)[..IdDigits];
    }

    /// <summary>The command's word.</summary>
    public static string CommandOf(LoadRequest request) => request.Kind.ToString().ToLowerInvariant();

    private static string Hash(IEnumerable<string?> words) =>
        Convert.ToHexStringLower(
            SHA256.HashData(Encoding.UTF8.GetBytes(string.Join('\0', words.Select(word => $"{word?.Length}:{word}")))));
}
