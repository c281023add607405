using BulkLoad.Cli.Host;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;

namespace BulkLoad.Tests.Cli;

/// <summary>Wherever a password comes from, it goes to the library and to nobody else.</summary>
public sealed class SecretTests : IDisposable
{
    private const string Secret = "HUSH";

    private readonly string _folder = Directory.CreateTempSubdirectory("bulkload").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("--plan")]
    [InlineData("--plan-json")]
    [InlineData("--verbose")]
    [InlineData("--progress=always")]
    public async Task No_output_holds_the_password(string option)
    {
        var report = Path.Combine(_folder, "r.json");
        var log = Path.Combine(_folder, "log.txt");
        string[] outputs = option.StartsWith("--plan", StringComparison.Ordinal)
            ? ["--log-file", log] : ["--log-file", log, "--report", report];
        var run = new CliRun { Run = (_, progress) => Progressing(progress) };
        run.Variables["BULKLOAD_URL"] = "mysql://app:HUSH@db/shop";

        await run.CallAsync(["import", "a.csv", option, .. outputs]);

        Assert.Equal(Secret, run.Request!.Connection.Password);
        var written = Directory.GetFiles(_folder).Select(File.ReadAllText);
        Assert.All(written.Append(run.Output).Append(run.Error), text => Assert.DoesNotContain(Secret, text, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("import", "a.csv", "-pHUSH", "--nonsense")]
    [InlineData("import", "a.csv", "--password=HUSH", "--port=x")]
    [InlineData("import", "a.csv", "--pasword=HUSH")]
    [InlineData("import", "a.csv", "--passwordHUSH")]
    [InlineData("import", "a.csv", "-XpHUSH")]
    [InlineData("-pHUSH", "import", "a.csv")]
    [InlineData("import", "-pHUSH", "--help")]
    [InlineData("import", "-pHUSH")]
    public async Task No_error_repeats_a_password_that_was_typed(params string[] args)
    {
        var run = new CliRun();

        await run.CallAsync(args);

        Assert.NotEqual("", run.Error + run.Output);
        Assert.DoesNotContain(Secret, run.Error + run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task No_error_repeats_a_password_of_an_option_file()
    {
        var run = new CliRun();
        run.Files.With("/etc/my.cnf", "[bulkload]\npassword=HU\nHUSH");

        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync("import", "a.csv"));
        Assert.Contains("/etc/my.cnf:3", run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain(Secret, run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Neither_request_nor_settings_print_it()
    {
        var connection = new ConnectionOptions { Password = Secret };
        var settings = new ConnectionSettings { Password = Secret };
        var request = new LoadRequest { Files = ["a.csv"], Connection = connection };

        Assert.DoesNotContain(Secret, $"{connection} {settings} {request}", StringComparison.Ordinal);
    }

    private static LoadReport Progressing(IProgress<LoadProgress>? progress)
    {
        progress?.Report(new LoadProgress(1, 2, 3, 4));
        return Samples.Failed(new ConnectException("app@db: the password was refused"));
    }
}
