using System.Security.Cryptography;
using System.Text;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Running;

namespace BulkLoad.Core.Ledger;

/// <summary>What makes a job the same when it is started again: table, command, mapping and the names of its inputs.</summary>
/// <param name="Id">its name in the ledger</param>
/// <param name="Fingerprint">of all but the inputs' names</param>
/// <param name="IsLasting">whether another start has the same name: not where an input is a pipe and the user named no job</param>
internal sealed record JobIdentity(string Id, string Fingerprint, bool IsLasting)
{
    private const int IdDigits = 16;

    public static JobIdentity Of(LoadFacts facts, IReadOnlyList<LoadSource> sources)
    {
        var request = facts.Request;
        var words = new List<string?> { CommandOf(request), facts.Table.Database, facts.Table.Name, request.OnDuplicate.ToString(), request.Key.Where };
        words.AddRange(facts.Key?.Columns.Select(column => $"key {column.Name}") ?? []);
        words.AddRange(facts.Assignments.Select(assignment => $"set {assignment.Column}={assignment.Expression}"));
        foreach (var source in sources)
        {
            // The keys of JSON objects are learned from the first of them, which may be mended.
            words.AddRange(source.Look.Format == InputFormat.Jsonl
                ? [.. request.Map.Select(pair => $"{pair.Key} to {pair.Value}"), .. request.Columns ?? []]
                : source.Mapping.Fields.Select(field => $"{field.Field} to {field.Column}"));
            words.Add("");
        }

        var fingerprint = Hash(words);
        if (request.JobId is { } id)
        {
            return new JobIdentity(id, fingerprint, IsLasting: true);
        }

        return sources.All(source => source.Look is { Path: not null, Length: not null })
            ? new JobIdentity(Hash([fingerprint, .. sources.Select(source => Path.GetFullPath(source.Look.Path!))])[..IdDigits], fingerprint, IsLasting: true)
            : new JobIdentity($"pipe-{Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(IdDigits / 2))}", fingerprint, IsLasting: false);
    }

    /// <summary>The command's word.</summary>
    public static string CommandOf(LoadRequest request) => request.Kind.ToString().ToLowerInvariant();

    private static string Hash(IEnumerable<string?> words) =>
        Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(string.Join('\0', words.Select(word => $"{word?.Length}:{word}")))));
}
