using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;

namespace BulkLoad.Tests.Jobs;

public sealed class ProfileJsonTests
{
    private const string Written = """
        {
          "bulkload-profile": 1,
          "server": {
            "kind": "MySQL",
            "version": "9.7.4",
            "endpoint": "db:3306"
          },
          "measured": "2026-11-21T20:30:05Z",
          "with": "200,000 rows, 5 runs each",
          "sessions": 4,
          "strategies": [
            {
              "strategy": "load-data",
              "microseconds-per-row": 3.4568,
              "sizes": {
                "bytes-per-batch": 4194304
              }
            },
            {
              "strategy": "multi-row-insert",
              "microseconds-per-row": null,
              "sizes": {
                "placeholders-per-statement": 600,
                "rows-per-batch": 2000
              }
            }
          ]
        }

        """;

    private static readonly ServerProfile Profile = new()
    {
        Kind = "MySQL",
        Version = "9.7.4",
        Endpoint = "db:3306",
        Measured = new DateTimeOffset(2026, 11, 21, 20, 30, 5, TimeSpan.Zero),
        With = "200,000 rows, 5 runs each",
        Sessions = 4,
        Strategies =
        [
            new StrategyProfile("load-data", 3.45678, [new("bytes-per-batch", 4_194_304)]),
            new StrategyProfile("multi-row-insert", null, [new("placeholders-per-statement", 600), new("rows-per-batch", 2000)]),
        ],
    };

    [Fact]
    public void A_profile_is_a_json_object() => Assert.Equal(Written.ReplaceLineEndings("\n"), TextOf(Profile));

    [Fact]
    public void What_was_written_is_read()
    {
        Assert.Equal(TextOf(Profile), TextOf(Read(Written)));
        Assert.Null(Read(Written.Replace("\"sessions\": 4", "\"sessions\": null", StringComparison.Ordinal)).Sessions);
    }

    [Theory]
    [InlineData("", "is not as bench tune writes it")]
    [InlineData("{", "is not as bench tune writes it")]
    [InlineData("[]", "is no profile of version 1: write one with bulkload bench tune --profile")]
    [InlineData("{}", "is no profile of version 1")]
    [InlineData("""{"bulkload-spec": 1}""", "is no profile of version 1")]
    [InlineData("""{"bulkload-profile": 2}""", "is no profile of version 1")]
    [InlineData("""{"bulkload-profile": "1"}""", "is not as bench tune writes it")]
    [InlineData("""{"bulkload-profile": 1}""", "is not as bench tune writes it")]
    public void What_is_no_profile_is_refused(string text, string message) => ShouldRefuse(text, message);

    [Theory]
    [InlineData("\"with\":", "\"more\": 1, \"with\":",
        "'more' is not known: known are bulkload-profile, server, measured, with, sessions, strategies")]
    [InlineData("\"kind\":", "\"port\": 1, \"kind\":", "'port' is not known: known are kind, version, endpoint")]
    [InlineData("\"sizes\":", "\"rows\": 1, \"sizes\":", "'rows' is not known: known are strategy, microseconds-per-row, sizes")]
    [InlineData("\"with\":", "\"sessions\": 1, \"with\":", "is not as bench tune writes it: ")]
    [InlineData("\"MySQL\"", "\"Oracle\"", "the server's kind is neither MariaDB nor MySQL")]
    [InlineData("\"9.7.4\"", "\"\"", "version is not a line of text")]
    [InlineData("\"db:3306\"", "\"a\\nb\"", "endpoint is not a line of text")]
    [InlineData("\"db:3306\"", "\"a\\u202eb\"", "endpoint is not a line of text")]
    [InlineData("2026-11-21T20:30:05Z", "yesterday", "is not as bench tune writes it: ")]
    [InlineData("\"sessions\": 4", "\"sessions\": 0", "sessions is '0', and can be 1 to 64")]
    [InlineData("\"sessions\": 4", "\"sessions\": 65", "sessions is '65', and can be 1 to 64")]
    [InlineData("\"sessions\": 4", "\"sessions\": 1.5", "sessions is '1.5', and can be 1 to 64")]
    [InlineData("\"sessions\": 4", "\"sessions\": \"4\"", "sessions is '\"4\"', and can be 1 to 64")]
    [InlineData(
        "\"load-data\"", "\"pipelined\"", "'pipelined' is no strategy of an import: known are load-data, bulk-execute, multi-row-insert")]
    [InlineData("\"load-data\"", "\"multi-row-insert\"", "multi-row-insert has no size 'bytes-per-batch'")]
    [InlineData("\"multi-row-insert\"", "\"bulk-execute\"",
        "bulk-execute has no size 'placeholders-per-statement': known are rows-per-packet, rows-per-batch")]
    [InlineData("3.4568", "0", "microseconds-per-row is '0', which no row takes")]
    [InlineData("3.4568", "-1", "microseconds-per-row is '-1', which no row takes")]
    [InlineData("3.4568", "1e400", "microseconds-per-row is '1e400', which no row takes")]
    [InlineData("4194304", "0", "bytes-per-batch of load-data is '0', and can be 1 to 268435456")]
    [InlineData("4194304", "268435457", "bytes-per-batch of load-data is '268435457', and can be 1 to 268435456")]
    [InlineData("600", "65536", "placeholders-per-statement of multi-row-insert is '65536', and can be 1 to 65535")]
    [InlineData("2000", "99999999999999999999", "rows-per-batch of multi-row-insert is '99999999999999999999', and can be 1 to 65535")]
    public void What_a_profile_cannot_say_is_refused(string what, string instead, string message) =>
        ShouldRefuse(Written.Replace(what, instead, StringComparison.Ordinal), message);

    [Fact]
    public void A_strategy_stands_there_once() => ShouldRefuse(
        Written.Replace("\"multi-row-insert\"", "\"load-data\"", StringComparison.Ordinal)
            .Replace("\"placeholders-per-statement\": 600,", "", StringComparison.Ordinal)
            .Replace("\"rows-per-batch\"", "\"bytes-per-batch\"", StringComparison.Ordinal),
        "strategy load-data appears twice");

    private static void ShouldRefuse(string text, string message)
    {
        var fault = Assert.Throws<RequestException>(() => Read(text));
        Assert.StartsWith("--profile: 'server.json' ", fault.Message, StringComparison.Ordinal);
        Assert.Contains(message, fault.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', fault.Message);
    }

    private static ServerProfile Read(string text) => ProfileJson.Read(Encoding.UTF8.GetBytes(text), "server.json");

    private static string TextOf(ServerProfile profile)
    {
        using var bytes = new MemoryStream();
        ProfileJson.Write(bytes, profile);
        return Encoding.UTF8.GetString(bytes.ToArray());
    }
}
