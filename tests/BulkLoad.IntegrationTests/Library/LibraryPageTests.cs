using System.IO.Compression;
using System.Text.RegularExpressions;
using BulkLoad.Tests.Architecture;

namespace BulkLoad.IntegrationTests.Library;

/// <summary>The code in docs/library.md: each block is in this file, and all of it runs.</summary>
public sealed partial class LibraryPageTests
{
    private static readonly string Page = Path.Combine(Repository.Root, "docs", "library.md");

    private static readonly string Own =
        Path.Combine(Repository.Root, "tests", "BulkLoad.IntegrationTests", "Library", "LibraryPageTests.cs");

    /// <summary>As the page calls it, in the folder of the run.</summary>
    private const string Packed = "people.csv.gz";

    [Fact]
    public void Each_block_is_code_that_is_compiled()
    {
        var code = Lines(File.ReadAllText(Own));
        var blocks = Block().Matches(File.ReadAllText(Page)).Select(match => Lines(match.Groups[1].Value)).ToList();

        Assert.True(blocks.Count >= 8);
        Assert.All(blocks, block => Assert.Contains(block, code));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task The_code_does_what_the_page_says(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(
            "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL UNIQUE, born DATE)",
            "CREATE TABLE points (point_id INT PRIMARY KEY, longitude DOUBLE)",
            "CREATE TABLE orders (id INT AUTO_INCREMENT PRIMARY KEY, article VARCHAR(20))");
        var url = OtherProgram.UrlOf(server, database);
        await using (var file = File.Create(Packed))
        await using (var packed = new GZipStream(file, CompressionLevel.Fastest))
        {
            packed.Write("id,name\n50,Zed\n"u8);
        }

        try
        {
            await FirstLoadAsync(url);
            await MapsAsync(url);
            await RejectsAsync(url, [new Person(17, "Q", null), new Person(18, new string('x', 21), null), new Person(19, "S", null)]);
            Assert.Equal("4", await database.ScalarAsync("SELECT COUNT(*) FROM people"));
            await DatabaseHasAsync(database, 18);
            Order[] orders = [new() { Article = "tea" }, new() { Article = "salt" }];
            await IdsAsync(url, orders);
            Assert.Equal($"{orders[1].Id}", await database.ScalarAsync("SELECT id FROM orders WHERE article = 'salt'"));
            await ChangeAsync(url, [new Person(2, "Bob", null)]);
            Assert.Equal("Bob", await database.ScalarAsync("SELECT GROUP_CONCAT(name) FROM people"));
            await StreamAsync(url);
            await StreamAsync(url);
            await FilesAsync(url);
            Assert.Equal("102", await database.ScalarAsync("SELECT COUNT(*) FROM people"));
        }
        finally
        {
            File.Delete(Packed);
        }
    }

    private static Task DatabaseHasAsync(TestDatabase database, int id) =>
        database.RunAsync($"INSERT INTO people VALUES ({id}, 'R', NULL)");

    private static async Task FirstLoadAsync(string url)
    {
        await using var people = BulkLoader.Into(url, "people");
        LoadResult result = await people.LoadAsync([new Person(1, "Ada", new(1815, 12, 10)), new Person(2, "Bo", null)]);
        Console.WriteLine($"{result.Counts.Inserted} rows by {result.Strategy}");
    }

    private static async Task MapsAsync(string url)
    {
        await using var points = BulkLoader.Into(url, "points");
        await points.LoadAsync([new Point(1, 0.5)], Maps.Point);
    }

    private static async Task RejectsAsync(string url, IEnumerable<Person> rows)
    {
        await using var people = BulkLoader.Into(url, "people");
        var result = await people.LoadAsync(rows, new BulkOptions
        {
            MaxRejects = 100,
            Rejected = reject => Console.WriteLine($"{reject.Index}: {reject.Row} was refused: {reject.Column} {reject.Message}"),
        });
        Assert.Equal(1, result.Counts.Rejected);
    }

    private static async Task IdsAsync(string url, IEnumerable<Order> rows)
    {
        await using var orders = BulkLoader.Into(url, "orders");
        await orders.LoadAsync(rows, new BulkOptions { IdGenerated = one => ((Order)one.Row!).Id = one.Id });
    }

    private static async Task ChangeAsync(string url, IEnumerable<Person> changed)
    {
        await using var people = BulkLoader.Into(url, "people");
        await people.UpdateAsync(changed, key: nameof(Person.Id));
        await people.DeleteAsync([17, 18, 19]);
        await people.DeleteAsync(["Ada"], key: "name");
    }

    private static async Task StreamAsync(string url)
    {
        await using var people = BulkLoader.Into(url, "people");
        var position = await people.FindPositionAsync("people-feed");
        await people.LoadAsync(Feed(from: position), new BulkOptions { JobId = "people-feed", StartAt = position });
    }

    private static async Task FilesAsync(string url)
    {
        await using var people = BulkLoader.Into(url, "people");
        await people.LoadFileAsync("people.csv.gz", new BulkFileOptions { MaxRejects = 10 });
        BulkPlan plan = await people.PlanFileAsync("people.csv.gz");
        Console.WriteLine($"{plan.Strategy}: {plan.Strategies[0].Reason}");
    }

    private static IEnumerable<Person> Feed(long from) =>
        Enumerable.Range(100, 100).Skip((int)from).Select(id => new Person(id, $"n{id}", null));

    private static string Lines(string code) => string.Join(
        '\n', code.Split('\n').Select(line => line.Trim()).Where(line => line.Length > 0));

    [GeneratedRegex("```csharp\n(.*?)```", RegexOptions.Singleline)]
    private static partial Regex Block();
}

[BulkRow]
public sealed partial record Person(int Id, string Name, DateOnly? Born);

public sealed record Point(int PointId, double Longitude)
{
    public object? Tag { get; init; }
}

[BulkMap(typeof(Point), Naming = BulkNaming.SnakeCase, Ignore = ["Tag"])]
public static partial class Maps;

[BulkRow]
public sealed partial class Order
{
    public string Article { get; init; } = "";

    [BulkIgnore]
    public ulong Id { get; set; }
}
