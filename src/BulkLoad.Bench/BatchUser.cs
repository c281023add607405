namespace BulkLoad.Bench;

/// <summary>What is done with each row of a batch.</summary>
internal enum BatchOperation
{
    Insert,

    /// <summary>Name and score by id.</summary>
    Update,

    /// <summary>By id.</summary>
    Delete,
}

/// <summary>A row of the bench's table of users: everything follows from its id and from whether it has been changed.</summary>
/// <param name="Id">from 1 on</param>
/// <param name="IsChanged">whether name and score are those that an update gives it</param>
internal readonly record struct BatchUser(long Id, bool IsChanged)
{
    public string Name => $"{(IsChanged ? "changed" : "user")} {Id} O'Neill";

    public int Age => (int)(Id % 97);

    public string Email => $"user{Id}@example.org";

    /// <summary>A number that every server writes as it is written here.</summary>
    public double Score => (IsChanged ? 1000 : 0) + (Id % 1000) + 0.5;

    /// <summary>Days behind the first of 2026.</summary>
    public DateTime Created => new DateTime(2026, 1, 1, 12, 30, 0, DateTimeKind.Unspecified).AddDays(Id % 300);

    /// <summary>As the server's client shows it.</summary>
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
