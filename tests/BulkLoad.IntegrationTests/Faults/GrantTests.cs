using System.Text.RegularExpressions;
using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Errors about a right that an account lacks: what each tells to type is typed, and the command runs again.</summary>
public sealed partial class GrantTests
{
    private const int MostGrants = 6;

    private static readonly string[][] Commands =
    [
        ["import", "people.csv"],
        ["import", "fresh.csv", "--create"],
        ["import", "wide.csv", "--table", "people", "--add-columns"],
        ["import", "full.csv", "--table", "people", "--truncate", "--allow-database", "$DB"],
        ["import", "more.csv", "--table", "people", "--preview"],
        ["import", "other.csv", "--table", "people", "--rebuild-indexes"],
        ["update", "full.csv", "--table", "people"],
        ["delete", "--ids", "ids.txt", "--table", "people", "--yes"],
    ];

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Statement_of_an_error_gives_the_right_that_lacked(string name)
    {
        var server = Servers.Get(name);
        await using var place =
            await Workplace.CreateAsync(server, "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(9), KEY (name));");
        await using var account = await TestAccount.CreateAsync(server, "IDENTIFIED BY 'secret-7'", "secret-7");
        await using var admin = await ServerSession.ConnectAsync(server.AdminOptions() with { Database = place.Database }, default);
        place.Write("people.csv", "id,name\n1,a\n");
        place.Write("fresh.csv", "id,name\n1,a\n");
        place.Write("wide.csv", "id,name,city\n2,b,Rome\n");
        place.Write("full.csv", "id,name\n3,c\n4,d\n");
        place.Write("more.csv", "id,name\n5,e\n");
        place.Write("other.csv", "id,name\n6,f\n");
        place.Write("ids.txt", "3\n");
        foreach (var command in Commands)
        {
            await admin.ExecuteAsync($"REVOKE ALL PRIVILEGES, GRANT OPTION FROM '{account.User}'@'%'", default);
            await admin.ExecuteAsync($"GRANT SELECT ON people TO '{account.User}'@'%'", default);
            await RunAsync(
                place, account, admin, [.. command.Select(word => word.Replace("$DB", place.Database, StringComparison.Ordinal))]);
        }

        Assert.Equal("4\td\n6\tf", await place.ScalarAsync("SELECT id, name FROM people ORDER BY id;"));
    }

    private static async Task RunAsync(Workplace place, TestAccount account, ServerSession admin, string[] words)
    {
        for (var granted = 0; ; granted++)
        {
            using var program = BulkLoadProcess.Start(
                place, BulkLoadProcess.UrlOf(place.Server, account.User, account.Password!, place.Database), words);
            program.Input.Close();
            var end = await program.EndAsync();
            if (end.ExitCode == 0)
            {
                Assert.True(granted > 0, string.Join(' ', words));
                return;
            }

            end.ShouldExitWith(9);
            var statement = Grant().Match(end.Error);
            Assert.True(statement.Success && granted < MostGrants, $"{string.Join(' ', words)}: {end.Error}");
            await admin.ExecuteAsync(statement.Value, default);
        }
    }

    [GeneratedRegex("GRANT [A-Z, ]+ ON `[^`]+`\\.(?:`[^`]+`|\\*) TO '[^']+'@'[^']+'")]
    private static partial Regex Grant();
}
