using System.Text.Json;
using BulkLoad.Cli.Host;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Tests.Cli;

public sealed partial class LoggingTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("bulkload").FullName;
    private readonly StringBuilder _error = new();

    private string LogPath => Path.Combine(_folder, "log");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Without_options_only_warnings_are_told()
    {
        WriteLog(new OutputSettings());

        Assert.Equal("warning: Careful with shop.people\n", _error.ToString().ReplaceLineEndings("\n"));
    }

    [Fact]
    public void Verbose_tells_every_step_on_standard_error()
    {
        WriteLog(new OutputSettings { IsVerbose = true });

        Assert.Matches(@"^\S+ DBG Chunk 7 of people.csv\n\S+ INF Done\n\S+ WRN Careful with shop.people\n$",
            _error.ToString().ReplaceLineEndings("\n"));
    }

    [Fact]
    public void A_log_file_takes_the_steps_and_standard_error_stays_calm()
    {
        WriteLog(new OutputSettings { LogFile = LogPath });

        Assert.Matches(@"^\S+ INF Done\n\S+ WRN Careful with shop.people\n$", File.ReadAllText(LogPath));
        Assert.StartsWith("warning: ", _error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_json_line_holds_the_message_and_its_values()
    {
        WriteLog(new OutputSettings { LogFile = LogPath, IsVerbose = true, LogFormat = LogFormat.Json });

        using var line = JsonDocument.Parse(File.ReadLines(LogPath).First());
        var root = line.RootElement;
        Assert.Equal(
            ["@t", "@m", "@i", "@l", "Chunk", "File", "EventId", "SourceContext"], root.EnumerateObject().Select(member => member.Name));
        Assert.Equal("Debug", root.GetProperty("@l").GetString());
        Assert.Equal("ChunkSent", root.GetProperty("EventId").GetProperty("Name").GetString());
        Assert.Equal("Chunk 7 of \"people.csv\"", root.GetProperty("@m").GetString());
        Assert.Equal(7, root.GetProperty("Chunk").GetInt64());
        Assert.Equal("people.csv", root.GetProperty("File").GetString());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Names_command_no_terminal_and_json_stays_json(bool isJson)
    {
        const string Name = "a\u202eb\e[2K.csv";
        WriteLog(new OutputSettings { LogFile = LogPath, IsVerbose = true, LogFormat = isJson ? LogFormat.Json : LogFormat.Text }, Name);

        var told = _error.ToString().ReplaceLineEndings("\n");
        Assert.Equal(told, File.ReadAllText(LogPath));
        if (!isJson)
        {
            Assert.Contains(@" DBG Chunk 7 of a\x202eb\x1b[2K.csv" + "\n", told, StringComparison.Ordinal);
            return;
        }

        using var line = JsonDocument.Parse(told.Split('\n')[0]);
        Assert.Equal(Name, line.RootElement.GetProperty("File").GetString());
        Assert.DoesNotContain('\e', told);
    }

    private void WriteLog(OutputSettings output, string file = "people.csv")
    {
        var host = new HostEnvironment { Output = TextWriter.Null, Error = new StringWriter(_error), Files = new FakeFiles() };
        using var logging = Logging.Open(output, new Messages(host));
        var log = logging.Loggers.CreateLogger("test");
        ChunkSent(log, 7, file);
        Done(log);
        Careful(log, "shop.people");
    }

    [LoggerMessage(1, LogLevel.Debug, "Chunk {Chunk} of {File}")]
    private static partial void ChunkSent(ILogger log, long chunk, string file);

    [LoggerMessage(2, LogLevel.Information, "Done")]
    private static partial void Done(ILogger log);

    [LoggerMessage(3, LogLevel.Warning, "Careful with {Table}")]
    private static partial void Careful(ILogger log, string table);
}
