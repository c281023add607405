namespace BulkLoad.IntegrationTests.Cases;

/// <summary>Every folder with a file <c>args</c>, on MariaDB.</summary>
public sealed class MariaDbCaseTests
{
    [Theory]
    [MemberData(nameof(CaseList.OfMariaDb), MemberType = typeof(CaseList))]
    public Task A_command_ends_as_its_folder_says(string name) => CaseList.RunAsync(name, Servers.MariaDb);
}

/// <summary>Every folder with a file <c>args</c>, on MySQL.</summary>
public sealed class MySqlCaseTests
{
    [Theory]
    [MemberData(nameof(CaseList.OfMySql), MemberType = typeof(CaseList))]
    public Task A_command_ends_as_its_folder_says(string name) => CaseList.RunAsync(name, Servers.MySql);
}

/// <summary>Two classes, because xunit runs classes at the same time and the tests of one class one by one.</summary>
public static class CaseList
{
    public static TheoryData<string> OfMariaDb => Of(Servers.MariaDb);

    public static TheoryData<string> OfMySql => Of(Servers.MySql);

    internal static async Task RunAsync(string name, string server)
    {
        if (await new CommandLineCase(name).RunAsync(Servers.Get(server)) is { } difference)
        {
            Assert.Fail(difference);
        }
    }

    private static TheoryData<string> Of(string server) =>
        [.. CommandLineCase.Names.Where(name => new CommandLineCase(name).IsFor(server))];
}
