using BulkLoad.Seeding;

namespace BulkLoad.Tests.Seeding;

/// <summary>When a table counts as touched.</summary>
public sealed class CopyRecordTests
{
    private static readonly TableState Seeded =
        new() { NextId = "5", TableId = "7", Modified = "100", Updated = "2026-01-01 00:00:00", Server = "s", Started = 1000 };

    [Fact]
    public void What_nobody_has_changed_is_not_touched() => Assert.False(Record().IsTouched(Seeded with { Started = 1001 }, "11"));

    [Fact]
    public void Another_checksum_tells() => Assert.True(Record().IsTouched(Seeded, "12"));

    /// <summary>The checksum is the same where a text has moved to the next column.</summary>
    [Theory]
    [InlineData("6", "7", "100", "2026-01-01 00:00:00")]
    [InlineData("5", "8", "100", "2026-01-01 00:00:00")]
    [InlineData("5", "7", "101", "2026-01-01 00:00:00")]
    [InlineData("5", "7", "100", "2026-01-01 00:00:01")]
    [InlineData("6", null, null, null)]
    [InlineData("5", null, null, "2026-01-01 00:00:01")]
    public void Another_state_tells_where_the_checksum_does_not(string next, string? id, string? modified, string? updated)
    {
        var now = Seeded with { NextId = next, TableId = id, Modified = modified, Updated = updated };
        Assert.True(Record().IsTouched(now, "11"));
    }

    /// <summary>As after a restart: nothing was changed since.</summary>
    [Fact]
    public void A_state_that_is_not_told_says_nothing() =>
        Assert.False(Record().IsTouched(Seeded with { TableId = null, Modified = null, Updated = null, Started = 5000 }, "11"));

    [Fact]
    public void What_could_have_changed_in_the_same_second_is_compared() =>
        Assert.True((Record() with { State = Seeded with { Updated = null } }).IsTouched(Seeded, "11"));

    /// <summary>Comparing it would take too long: its checksum is asked for.</summary>
    [Theory]
    [InlineData("100", "11", false)]
    [InlineData("101", "11", true)]
    [InlineData("100", "12", true)]
    [InlineData(null, "11", true)]
    public void A_large_table_is_not_compared_for_that_where_changes_are_counted(string? modified, string checksum, bool isTouched)
    {
        var record = Record() with { Rows = 20_001, State = Seeded with { Updated = null } };
        Assert.True(record.NeedsChecksum(Seeded));
        Assert.Equal(isTouched, record.IsTouched(Seeded with { Modified = modified, TableId = modified is null ? null : "7" }, checksum));
    }

    [Theory]
    [InlineData(20_000, "2026-01-01 00:00:00", 1000, true)]
    [InlineData(20_001, "2026-01-01 00:00:00", 1000, false)]
    [InlineData(20_001, null, 1000, true)]
    [InlineData(20_001, "2026-01-01 00:00:00", 2000, true)]
    public void A_large_table_is_summed_only_where_its_state_does_not_tell(long rows, string? updated, long started, bool isSummed) =>
        Assert.Equal(isSummed, (Record() with { Rows = rows }).NeedsChecksum(Seeded with { Updated = updated, Started = started }));

    [Fact]
    public void The_first_id_is_one() => Assert.True((Seeded with { NextId = null }).HasSameNextId(Seeded with { NextId = "1" }));

    [Fact]
    public void A_record_is_read_as_it_was_written() =>
        Assert.Equal(Record(), CopyRecord.Read([.. Record().Write().Prepend(Record().Name)]));

    [Theory]
    [InlineData("plain_1", "plain_1")]
    [InlineData("my-table $", "my@002dtable@0020@0024")]
    [InlineData("Straße", null)]
    public void Names_are_those_of_files(string name, string? expected) => Assert.Equal(expected, TableWatch.Encode(name));

    [Fact]
    public void The_next_id_is_no_part_of_a_definition()
    {
        const string text =
            "CREATE TABLE `t` (\n  `a` int COMMENT 'x AUTO_INCREMENT=5'\n) ENGINE=InnoDB AUTO_INCREMENT=17 DEFAULT CHARSET=utf8mb4";
        Assert.Equal(
            TableWatch.Digest(text), TableWatch.Digest(text.Replace("AUTO_INCREMENT=17 ", "AUTO_INCREMENT=18 ", StringComparison.Ordinal)));
        Assert.Equal(TableWatch.Digest(text), TableWatch.Digest(text.Replace(" AUTO_INCREMENT=17", "", StringComparison.Ordinal)));
        Assert.NotEqual(TableWatch.Digest(text), TableWatch.Digest(text.Replace("=5'", "=6'", StringComparison.Ordinal)));
    }

    [Fact]
    public void Copies_beside_the_tables_have_names_of_their_own()
    {
        var beside = new CopyPlace("app_test", "app_test");
        Assert.Equal("bulkload_seed_t", beside.NameOf("t"));
        Assert.Equal("t", new CopyPlace("app_test", "app_test_bulkload").NameOf("t"));
        var names = new[] { new string('x', 63) + "a", new string('x', 63) + "b" }.Select(beside.NameOf).ToArray();
        Assert.NotEqual(names[0], names[1]);
        Assert.All(names, name => Assert.Equal(64, name.Length));
    }

    private static CopyRecord Record() => new()
    { Name = "t", Copy = "t", Taken = "2026-01-01 00:00:00.000000", Definition = "d", Rows = 10, Checksum = "11", State = Seeded };
}
