using BulkLoad.Core.Ledger;

namespace BulkLoad.Core.Refresh;

/// <summary>Names of the tables beside one that is made exactly its input. They tell a later start how far an earlier one came.
/// Pure.</summary>
/// <param name="table">the name that the result has</param>
/// <param name="partition">of it, which alone is refreshed; null: all of it</param>
internal sealed class RefreshNames(string table, string? partition = null)
{
    private readonly int _most = SqlName.MaxCharacters - (partition is null ? RoomForConstraints : 0);

    /// <summary>For LIKE.</summary>
    public const string Pattern = @"bulkload\_%";

    private const string New = "bulkload_new_", Old = "bulkload_old_";
    private const int DigestCharacters = 16;

    /// <summary>MySQL names foreign keys and CHECKs after their table, such as <c>t_ibfk_1</c>, and again when it is renamed.</summary>
    private const int RoomForConstraints = 12;

    /// <summary>The new table, while it is loaded.</summary>
    /// <param name="definition">of the table: once it was altered, a new table that was begun before does not fit any more</param>
    public string OfNew(string definition) => Name(New, Digest(definition));

    /// <summary>The former table, until it is known that nobody has written to it.</summary>
    /// <param name="sum">of its rows when the job began</param>
    /// <param name="content">of a partition's new rows: the table has them before the exchange</param>
    public string OfOld(string sum, string content = "") => Name(Old, Digest(sum) + (partition is null ? "" : Digest(content)));

    /// <summary>The former table's name before its rows are known, for people.</summary>
    public string OldToShow => Name(Old, "<digest>");

    /// <summary>Whether a former table has what a partition had when the job began.</summary>
    /// <param name="sum">of its rows now</param>
    public static bool Had(string former, string sum) => former.AsSpan(Old.Length).StartsWith(Digest(sum), StringComparison.Ordinal);

    /// <summary>Whether a former table has the new rows of a partition.</summary>
    /// <param name="sum">of its rows now</param>
    public static bool HasContent(string former, string sum) =>
        former.AsSpan(Old.Length + DigestCharacters).StartsWith(Digest(sum), StringComparison.Ordinal);

    /// <summary>The former table that stays.</summary>
    /// <param name="time">in UTC</param>
    public string OfKept(DateTime time) => SqlName.Fit(
        $"{table}{(partition is null ? "" : $"_{partition}")}_before_{time.ToString("yyyyMMdd_HHmmss", CultureInfo.InvariantCulture)}",
        _most);

    /// <summary>The job's name in the ledger.</summary>
    public static string JobOf(string database, string table, string? partition = null) =>
        $"refresh.{Digest($"{database}\0{table}{(partition is null ? "" : $"\0{partition}")}")}";

    /// <summary>The name in the ledger of a job that can be undone: one for each table that stays.</summary>
    public static string JobOfKept(KeptTable kept) =>
        $"refresh.{Digest($"{kept.Database}\0{kept.Table}\0{kept.Partition}\0{kept.Name}")}";

    public bool IsNew(string name) => Is(name, New, DigestCharacters);

    public bool IsOld(string name) => Is(name, Old, DigestCharacters * (partition is null ? 1 : 2));

    public static string Digest(string text) => TextDigest.Of(text, DigestCharacters);

    private bool Is(string name, string prefix, int digits) =>
        name.StartsWith(prefix, StringComparison.Ordinal) && name.Length > prefix.Length + digits
            && name == Name(prefix, name.Substring(prefix.Length, digits));

    /// <summary>A hash sign: other tables could have the two names with a usual sign between.</summary>
    private string Name(string prefix, string digest) =>
        SqlName.Fit($"{prefix}{digest}_{table}{(partition is null ? "" : $"#{partition}")}", _most);
}
