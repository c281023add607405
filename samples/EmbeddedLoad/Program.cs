// Loads, changes and deletes objects of this program: the table is in table.sql.
//
//     dotnet run --project samples/EmbeddedLoad -- mysql://user:password@127.0.0.1/shop
using BulkLoad;
using EmbeddedLoad;

if (args is not [var url])
{
    Console.Error.WriteLine("usage: EmbeddedLoad mysql://user:password@host/database");
    return 2;
}

await using var people = BulkLoader.Into(url, "embedded_people");

// 1. Insert. What a column cannot hold is refused, with the object; the others are committed.
var loaded = await people.LoadAsync(SomePeople(), new BulkOptions
{
    MaxRejects = 5,
    Rejected = reject => Console.WriteLine(
        $"refused #{reject.Index} {((Person)reject.Row!).Name}: {reject.Column}: {reject.Message} ({reject.Reason})"),
});
Console.WriteLine($"inserted {loaded.Counts.Inserted}, refused {loaded.Counts.Rejected}");

// 2. Change rows by a key. Members that are not in the map stay as they are.
var changed = await people.UpdateAsync([new Move { Id = 1, City = "Turku" }, new Move { Id = 3, City = null }], key: nameof(Move.Id));
Console.WriteLine($"updated {changed.Counts.Updated}");

// 3. Delete rows by their keys.
var deleted = await people.DeleteAsync([2, 77], options: new BulkOptions { IgnoreMissing = true });
Console.WriteLine($"deleted {deleted.Counts.Deleted}, not there {deleted.Counts.NotFound}");

// 4. A type that is not one's own, by a class of maps; columns by their names in snake case.
await using var points = BulkLoader.Into(url, "embedded_points");
await points.LoadAsync([new ThirdPartyPoint(1, 0.5, "a"), new ThirdPartyPoint(2, -1.25, "b")], Maps.ThirdPartyPoint);

// 5. A stream that is loaded exactly once, however often this program is killed: give the same objects again, or those from a position on.
var position = await points.FindPositionAsync("points-2026");
var streamed = await points.LoadAsync(
    Points(from: position), Maps.ThirdPartyPoint, new BulkOptions { JobId = "points-2026", StartAt = position });
Console.WriteLine($"streamed {streamed.Counts.Inserted - streamed.EarlierCounts.Inserted}");

// 6. All or nothing.
try
{
    await people.LoadAsync(SomePeople(), new BulkOptions { Atomic = true });
}
catch (LoadFailedException failure) when (failure.ErrorCode == BulkErrorCode.TooManyRejects)
{
    Console.WriteLine($"nothing was loaded: {failure.Result.Counts.Inserted} inserted");
}

return 0;

static IEnumerable<Person> SomePeople() =>
[
    new() { Id = 1, Name = "Aino", Born = new(1987, 2, 28), Status = Status.Active, Balance = new Money(1250), Key = Guid.AllBitsSet },
    new() { Id = 2, Name = "Bø", Seen = new DateTime(2026, 1, 2, 3, 4, 5), Status = Status.Gone, Photo = [0xFF, 0xD8] },
    new() { Id = 3, Name = "Cæsar with a name that is much too long for its column", Status = Status.Active },
    new() { Id = 3, Name = "Dagný", Born = new(1990, 12, 31), Status = Status.Active },
];

static async IAsyncEnumerable<ThirdPartyPoint> Points(long from)
{
    for (var id = 100 + (int)from; id < 1_100; id++)
    {
        await Task.Yield();
        yield return new ThirdPartyPoint(id, id / 4.0, $"point {id}");
    }
}
