namespace BulkLoad.IntegrationTests.Faults;

/// <summary>What the report says of the reject file, whatever starts there were before.</summary>
public sealed class RejectFileTests
{
    private static readonly string[] Words = ["import", "t.csv", "--rows-per-chunk", "2"];

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Rejects_of_a_start_without_a_file_are_told_to_be_missing_from_that_of_the_next(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));");
        place.Write("t.csv", "id,v\n1,a\nx,b\n3,c\ny,d\n5,e\nz,f\n7,g\n8,h\n");
        (await place.RunAsync([.. Words, "--max-rejects", "2"])).ShouldExitWith(4);
        var end = await place.RunAsync([.. Words, "--max-rejects", "9", "--reject-file", "bad.csv"]);
        end.ShouldExitWith(3);
        Assert.Contains("note  rejects of what was committed before are not in ", end.Output, StringComparison.Ordinal);
        Assert.Contains("bad.csv: the last run had no --reject-file\n", end.Output, StringComparison.Ordinal);
        Assert.Equal("id,v\nz,f\n", await File.ReadAllTextAsync(Path.Combine(place.Folder, "bad.csv")));
        Assert.Contains("rejects are in bad.csv, reasons in bad.jsonl", end.Output, StringComparison.Ordinal);

        // Complete, and nothing is done again: neither that file nor one by another name gets anything.
        var kept = await File.ReadAllTextAsync(Path.Combine(place.Folder, "bad.csv"));
        end = await place.RunAsync([.. Words, "--max-rejects", "9", "--reject-file", "bad.csv"]);
        end.ShouldExitWith(0);
        Assert.StartsWith("nothing to do: ", end.Output, StringComparison.Ordinal);
        Assert.Equal(kept, await File.ReadAllTextAsync(Path.Combine(place.Folder, "bad.csv")));
        end = await place.RunAsync([.. Words, "--max-rejects", "9", "--reject-file", "other.csv"]);
        end.ShouldExitWith(0);
        Assert.DoesNotContain("rejects are in", end.Output, StringComparison.Ordinal);
        Assert.False(File.Exists(Path.Combine(place.Folder, "other.csv")));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_device_is_no_reject_file(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));");
        place.Write("t.csv", "id,v\n1,a\n");
        foreach (var option in new[] { "--reject-file", "--repairs-file" })
        {
            var end = await place.RunAsync([.. Words, option, "/dev/null", "--overwrite"]);
            end.ShouldExitWith(2);
            Assert.StartsWith($"error: {option}: '/dev/null' is not a regular file", end.Error, StringComparison.Ordinal);
        }

        Assert.True(File.Exists("/dev/null"));
        (await place.RunAsync([.. Words, "--reject-file", "bad.csv.gz"])).ShouldExitWith(2);
    }
}
