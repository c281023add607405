using System.Globalization;
using System.Text.Json;

namespace BulkLoad.Benchmarks.Objects;

/// <summary>A row of <see cref="BulkLoad.DataSet"/>.</summary>
[BulkRow]
public sealed partial class BenchUser
{
    public long Id { get; init; }

    public string Name { get; init; } = "";

    public int? Age { get; init; }

    public string? Email { get; init; }

    public double? Score { get; init; }

    public DateTime? Created { get; init; }

    /// <param name="file">JSON Lines</param>
    internal static List<BenchUser> Read(string file)
    {
        var users = new List<BenchUser>();
        foreach (var line in File.ReadLines(file))
        {
            using var document = JsonDocument.Parse(line);
            var row = document.RootElement;
            users.Add(new BenchUser
            {
                Id = row.GetProperty("id").GetInt64(),
                Name = row.GetProperty("name").GetString()!,
                Age = row.GetProperty("age") is { ValueKind: JsonValueKind.Number } age ? age.GetInt32() : null,
                Email = row.GetProperty("email").GetString(),
                Score = row.GetProperty("score") is { ValueKind: JsonValueKind.Number } score ? score.GetDouble() : null,
                Created = row.GetProperty("created").GetString() is { } created
                    ? DateTime.ParseExact(created, "yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture) : null,
            });
        }

        return users;
    }
}
