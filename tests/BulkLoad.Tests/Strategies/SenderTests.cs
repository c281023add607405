using System.Text;
using BulkLoad.Core;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Strategies;
using BulkLoad.Tests.Mapping;
using BulkLoad.Tests.Planning;
using Xunit;

namespace BulkLoad.Tests.Strategies;

/// <summary>Batch after batch, each with word of what follows: what a server hears of it, and what is said of the batch.</summary>
public sealed class SenderTests
{
    private static async Task<string> SendAsync(RecordingSession session, string strategy, params (string Rows, bool IsMoreToCome)[] batches)
    {
        var play = new StringBuilder();
        var chosen = StrategyCatalog.Import.Single(one => one.Name == strategy);
        await using var sender = chosen.CreateSender(session, Facts.Of(Facts.MariaDb, Columns.Varchar("name")), new BatchSizes(2, 1 << 20, 2, 1 << 20));
        var heard = 0;
        foreach (var (rows, isMoreToCome) in batches)
        {
            var block = new RowBlock(1, 16);
            foreach (var row in rows)
            {
                block.AddValue(Encoding.UTF8.GetBytes($"{row}"));
                block.EndRow(1, 1, 0, "x"u8);
            }

            var outcome = await sender.SendAsync(sender.Encode(block, 0, rows.Length), isMoreToCome, () => { }, CancellationToken.None);
            play.Append(session.Transcript.AsSpan(heard)).Append(outcome.Refusal is { } refusal ? $"({refusal.Code}, row {refusal.Row}: {refusal.Message})" : "(taken)").Append('\n');
            heard = session.Transcript.Length;
        }

        return play.ToString();
    }

    [Fact]
    public async Task Loads_follow_each_other_without_a_wait()
    {
        var session = new RecordingSession { TellsAnnouncements = true };
        ApprovedText.Check("load-data-announced", await SendAsync(session, "load-data", ("ab", true), ("cd", true), ("ef", false), ("gh", false)));
    }

    [Fact]
    public async Task Of_a_load_with_a_warning_and_an_announced_one_behind_it_only_the_counts_are_told()
    {
        var session = new RecordingSession { TellsAnnouncements = true }.Warns("    d", fewer: 0);
        ApprovedText.Check("load-data-announced-warning", await SendAsync(session, "load-data", ("ab", true), ("cd", true), ("ef", false)));
    }

    [Fact]
    public async Task Behind_a_load_of_one_row_nothing_is_announced_since_its_refusal_must_say_why()
    {
        var session = new RecordingSession { TellsAnnouncements = true }
            .Warns("    a", fewer: 0)
            .Rows("SHOW WARNINGS", ["Warning", "1265", "Data truncated for column 'name' at row 1"]);
        ApprovedText.Check("load-data-one-row", await SendAsync(session, "load-data", ("a", true), ("bc", false)));
    }

    [Fact]
    public async Task A_load_that_fails_says_why_though_one_was_announced()
    {
        var session = new RecordingSession { TellsAnnouncements = true }
            .Refuses("    b", new ServerException(1300, "HY000", "Invalid utf8mb4 character string: '\\xFF'"));
        ApprovedText.Check("load-data-announced-error", await SendAsync(session, "load-data", ("ab", true), ("cd", false)));
    }

    [Theory]
    [InlineData("load-data", "serve", 1)]
    [InlineData("load-data", "receive", 2)]
    [InlineData("bulk-execute", "receive", 1)]
    [InlineData("bulk-execute", "run", 1)]
    [InlineData("multi-row-insert", "receive", 1)]
    [InlineData("multi-row-insert", "run", 1)]
    public async Task A_fault_that_is_not_about_the_rows_is_no_refusal(string strategy, string step, int time)
    {
        var session = new RecordingSession().Fails(step, time, new ServerException(1213, "40001", "Deadlock found"));
        await Assert.ThrowsAsync<ServerException>(() => SendAsync(session, strategy, ("ab", true), ("cd", false)));
        Assert.DoesNotContain("ROLLBACK TO", session.Transcript, StringComparison.Ordinal);
    }
}
