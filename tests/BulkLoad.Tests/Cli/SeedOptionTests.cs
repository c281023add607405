using BulkLoad.Cli.Commands;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Options;
using BulkLoad.Seeding;
using BulkLoad.Tests.Architecture;

namespace BulkLoad.Tests.Cli;

/// <summary>Options in <c>seed.yaml</c>: each has an effect, or is refused.</summary>
public sealed class SeedOptionTests
{
    /// <summary>Options of an import that change no import: all of the connection, of outputs and of CI systems.</summary>
    public static TheoryData<string> OfTheCommand =>
    [
        .. Import().Groups.Where(group => group is not OptionGroup<LoadRequest>).SelectMany(group => group.Options)
            .Select(option => option.Name[2..]).Except(["overwrite"]),
        "table", "truncate", "allow-database", "create", "primary-key", "preview", "preview-file",
    ];

    [Theory]
    [MemberData(nameof(OfTheCommand))]
    public void An_option_that_no_file_has_is_refused(string option)
    {
        foreach (var value in new[] { "x", null })
        {
            var fault = Assert.Throws<RequestException>(() => Create((option, value)));
            Assert.StartsWith($"seed.yaml: --{option} is not an option of one file: ", fault.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("ssl-mode"), InlineData("host"), InlineData("password"), InlineData("socket"), InlineData("defaults-file"),
        InlineData("wait")]
    [InlineData("enable-cleartext-plugin"), InlineData("login-path"), InlineData("connection-url"), InlineData("junit"),
        InlineData("report")]
    public void Those_are_among_them(string option) => Assert.Contains(option, OfTheCommand.Select(row => (string)row.Data));

    [Fact]
    public void The_database_has_a_line_of_its_own() => Assert.Equal(
        "seed.yaml: --database is not an option of one file: write 'database: NAME' as a line of its own, or leave it out",
        Assert.Throws<RequestException>(() => Create(("database", "d"))).Message);

    [Fact]
    public void Replicas_are_asked_as_the_server_is()
    {
        var request = Create(("check-replica", "mysql://replica:3307"), ("max-lag", "2s"), ("overwrite", null));
        var replica = Assert.Single(request.Throttle.Replicas);
        Assert.Equal(
            ("replica", 3307, "app", TimeSpan.FromSeconds(2)), (replica.Host, replica.Port, replica.User, request.Throttle.MaxLag));
        Assert.True(request.OverwriteRejectFile);
    }

    private static LoadRequest Create(params (string Name, string? Value)[] options)
    {
        var folder = Path.GetTempPath();
        var entry = new SeedEntry("t", [Path.Combine(folder, "t.csv")])
        {
            Options = [.. options.Select(option => new KeyValuePair<string, string?>(option.Name, option.Value))],
        };
        return SeedCommand.CreateImport(Import(), entry, new ConnectionOptions { User = "app" });
    }

    private static ImportCommand Import() => CliDocs.Root().Subcommands.OfType<ImportCommand>().Single();
}
