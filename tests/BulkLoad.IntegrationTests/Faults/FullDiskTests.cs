using System.Diagnostics;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>A <c>--temp-dir</c> that becomes full while the program writes there: a small disk in memory that only the program sees, and
/// that is gone with it.</summary>
public sealed class FullDiskTests
{
    private const int Rows = 5_000;

    /// <summary>Large enough to be sorted, and to be put aside for it.</summary>
    private static readonly string Records =
        "id,name\n" + string.Concat(Enumerable.Range(1, Rows).Reverse().Select(id => $"{id},n{id:D2000}\n"));

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_job_that_finds_no_room_to_sort_says_what_stays_and_goes_on_where_there_is_room(string server)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(2001) CHARACTER SET latin1 NOT NULL); INSERT INTO t "
                + "VALUES (450, 'in the way');");
        place.Write("t.csv", Records);
        var words = "import t.csv --rows-per-chunk 100";

        // Where there is no room from the start, the file's order is kept; a job that was begun sorted has to go on so.
        var end = await place.RunAsync(words.Split(' '));
        end.ShouldExitWith(4);
        end.ShouldSay($": 400 rows are in {place.Database}.t\n");
        await place.QueryAsync("DELETE FROM t WHERE name = 'in the way';");

        end = await OnSmallDiskAsync(place, words);
        end.ShouldExitWith(1);
        end.ShouldSay("error: a temporary file in 'small' cannot be used: No space left on device");
        end.ShouldSay("; name another folder with --temp-dir, or keep the input's order with --no-sort\n");
        end.ShouldSay($"\n  400 rows are in {place.Database}.t\n  run the same command to continue\n");
        Assert.Equal("400", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));

        end = await place.RunAsync(words.Split(' '));
        end.ShouldExitWith(0);
        Assert.Equal($"{Rows}\t{Rows}", await place.ScalarAsync("SELECT COUNT(*), SUM(name = CONCAT('n', LPAD(id, 2000, '0'))) FROM t;"));
    }

    [Theory]
    [InlineData("check - --format csv --table t < t.csv")]
    [InlineData("check t.csv --max-memory 60Mi --max-record-bytes 64K")]
    [InlineData("update - --format csv --table t < t.csv")]
    [InlineData("import - --format csv --table u --create < t.csv")]
    public async Task What_is_put_aside_and_finds_no_room_ends_the_job(string line)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(Servers.MariaDb), "CREATE TABLE t (id INT, name VARCHAR(2001) CHARACTER SET latin1 COLLATE latin1_bin PRIMARY "
                + "KEY); INSERT INTO t VALUES (1, 'n');");
        place.Write("t.csv", Records);
        var end = await OnSmallDiskAsync(place, line);
        end.ShouldExitWith(1);
        end.ShouldSay("error: a temporary file in 'small' cannot be used: No space left on device");
        end.ShouldSay("; name another folder with --temp-dir");
        Assert.Equal("1", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        Assert.Equal("0", await place.ScalarAsync(
            "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'u';"));
    }

    /// <summary>Runs a line whose <c>--temp-dir</c> has room for less than what is put aside.</summary>
    private static async Task<ProgramEnd> OnSmallDiskAsync(Workplace place, string line)
    {
        const string Mount = "mount -t tmpfs -o size=2M none small";
        Directory.CreateDirectory(Path.Combine(place.Folder, "small"));
        using (var trial = Process.Start(new ProcessStartInfo(
            "unshare", ["-rm", "bash", "-c", Mount])
        { WorkingDirectory = place.Folder, RedirectStandardError = true })!)
        {
            await trial.WaitForExitAsync();
            if (trial.ExitCode != 0)
            {
                var reason = $"this account cannot mount a disk of its own: {await trial.StandardError.ReadToEndAsync()}";
                Assert.False(Environment.GetEnvironmentVariable("CI") == "true", reason);
                Assert.Skip(reason);
            }
        }

        using var program = BulkLoadProcess.StartLine(place, $"exec unshare -rm bash -c '{Mount} && exec $BULKLOAD_PROGRAM "
            + $"{line.Replace(" <", " --temp-dir small <", StringComparison.Ordinal)}"
            + $"{(line.Contains('<', StringComparison.Ordinal) ? "" : " --temp-dir small")}'");
        program.Input.Close();
        return await program.EndAsync();
    }
}
