namespace BulkLoad.Bench;

internal enum BatchOperation
{
    Insert,

    Update,

    Delete,
}

/// <summary>A row of the table of users. Its 1-based id, and whether an update has changed it, decide all values.</summary>
internal readonly record struct BatchUser(long Id, bool IsChanged)
{
    public string Name => $"{(IsChanged ? "changed" : "user")} {Id} O'Neill";

    public int Age => (int)(Id % 97);

    public string Email => $"user{Id}@example.org";

    /// <summary>Every server writes it in the same way.</summary>
    public double Score => (IsChanged ? 1000 : 0) + (Id % 1000) + 0.5;

    public DateTime Created => new DateTime(2026, 1, 1, 12, 30, 0, DateTimeKind.Unspecified).AddDays(Id % 300);

    /// <summary>As the server's client shows them.</summary>
    public string?[] Cells =>
    [
        Id.ToString(), Name, Age.ToString(), Email,
        Score.ToString(), Created.ToString("yyyy-MM-dd HH:mm:ss"),
    ];

    public static IEnumerable<BatchUser> Range(long first, long last, long step, bool isChanged)
    {
        for (var id = first; id <= last; id += step)
        {
            yield return new BatchUser(id, isChanged);
        }
    }
}
