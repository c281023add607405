using BulkLoad.Core.Rows;
using BulkLoad.Tests.Values.Cases;

namespace BulkLoad.IntegrationTests.Values;

/// <summary>A real table for a group of the table of cases, and the rows that its column takes.</summary>
internal sealed class GroupTable : IAsyncDisposable
{
    private readonly TestServer _server;

    private GroupTable(ValueGroup group, TestServer server, TestDatabase database, Target target) =>
        (Group, _server, Database, Target, Rows) = (group, server, database, target, target.Fill(group));

    /// <summary>Server, number and title of each group that the server has the type of.</summary>
    public static TheoryData<string, int, string> All =>
    [
        .. from server in new[] { Servers.MariaDb, Servers.MySql }
           from number in Enumerable.Range(0, ValueCases.All.Count)
           let only = ValueCases.All[number].Server
           where only is null || only == server
           select (server, number, ValueCases.All[number].Title),
    ];

    public ValueGroup Group { get; }

    public TestDatabase Database { get; }

    public Target Target { get; }

    /// <summary>NULL with the id -1, then each case that is taken, with its number for an id.</summary>
    public RowBlock Rows { get; }

    /// <param name="name">of the server</param>
    /// <param name="number">of the group</param>
    /// <param name="title">of it, which only shows which group a test is about</param>
    public static async Task<GroupTable> CreateAsync(string name, int number, string title)
    {
        var group = ValueCases.All[number];
        Assert.Equal(title, group.Title);
        var server = Servers.Get(name);
        var database = await TestDatabase.CreateAsync(server);
        try
        {
            await database.Session.ExecuteAsync($"CREATE TABLE t (id INT PRIMARY KEY, v {group.Ddl} NULL)", default);
            return new GroupTable(group, server, database, await Target.LookAsync(database, server));
        }
        catch
        {
            await database.DisposeAsync();
            throw;
        }
    }

    /// <summary>What the server's own client reads of each row, by its id.</summary>
    public async Task<IReadOnlyDictionary<int, string>> ReadAsync()
    {
        var read = await ServerClient.RunAsync(
            _server, Database.Name, $"SELECT id, HEX(CONVERT(({Group.Read}) USING utf8mb4)) FROM t;", "--skip-column-names");
        return read.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => line.Split('\t'))
            .ToDictionary(words => int.Parse(words[0], CultureInfo.InvariantCulture),
                words => words[1] == "NULL" ? "NULL" : Encoding.UTF8.GetString(Convert.FromHexString(words[1])));
    }

    public ValueTask DisposeAsync() => Database.DisposeAsync();
}
