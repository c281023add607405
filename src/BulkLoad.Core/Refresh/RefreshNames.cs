using System.Security.Cryptography;

namespace BulkLoad.Core.Refresh;

/// <summary>Names of the tables beside one that is made exactly its input. They tell a later start how far an earlier one came.
/// Pure.</summary>
/// <param name="table">the name that the result has</param>
internal sealed class RefreshNames(string table)
{
    /// <summary>For LIKE.</summary>
    public const string Pattern = @"bulkload\_%";

    private const string New = "bulkload_new_", Old = "bulkload_old_";
    private const int DigestCharacters = 16;

    /// <summary>The new table, while it is loaded.</summary>
    /// <param name="definition">of the table: once it was altered, a new table that was begun before does not fit any more</param>
    public string OfNew(string definition) => Name(New, Digest(definition));

    /// <summary>The former table, until it is known that nobody has written to it.</summary>
    /// <param name="sum">of its rows when the job began</param>
    public string OfOld(string sum) => Name(Old, Digest(sum));

    /// <summary>The former table that stays.</summary>
    /// <param name="time">in UTC</param>
    public string OfKept(DateTime time) => SqlName.Fit($"{table}_before_{time.ToString("yyyyMMdd_HHmmss", CultureInfo.InvariantCulture)}");

    /// <summary>The job's name in the ledger.</summary>
    public static string JobOf(string database, string table) => $"refresh.{Digest($"{database}\0{table}")}";

    public bool IsNew(string name) => Is(name, New);

    public bool IsOld(string name) => Is(name, Old);

    public static string Digest(string text) => Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(text)))[..DigestCharacters];

    private bool Is(string name, string prefix) =>
        name.StartsWith(prefix, StringComparison.Ordinal) && name.Length > prefix.Length + DigestCharacters
            && name == Name(prefix, name.Substring(prefix.Length, DigestCharacters));

    private string Name(string prefix, string digest) => SqlName.Fit($"{prefix}{digest}_{table}");
}
