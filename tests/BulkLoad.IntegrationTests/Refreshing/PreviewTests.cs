namespace BulkLoad.IntegrationTests.Refreshing;

/// <summary>What a full refresh would do is shown before, and a start that was stopped before its last step takes that alone.</summary>
public sealed class PreviewTests
{
    private const string Usual = """
        CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, UNIQUE KEY name (name));
        INSERT INTO t VALUES (1, 'one'), (2, 'two'), (9, 'nine');
        """;

    [Theory]
    [CombinatorialServers("swap", "diff")]
    public async Task A_preview_shows_what_would_change_and_changes_nothing(string server, string way)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        place.Write("t.csv", "id,name\n1,one\n2,zwei\n3,three\n4,four\n");
        var before = await place.QueryAsync("SHOW CREATE TABLE t; SELECT * FROM t;");
        var end = await place.RunAsync("import", "t.csv", $"--full-refresh={way}", "--preview");
        end.ShouldExitWith(0);
        Assert.StartsWith($"preview: nothing was written; by {way}, {place.Database}.t would be exactly the input: "
            + "2 new, 1 changed, 1 gone, 1 unchanged\n", end.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("inserted into", end.Output, StringComparison.Ordinal);
        Assert.Contains("id 2: updated  name: two -> zwei", end.Output, StringComparison.Ordinal);
        Assert.Contains("id 9: deleted", end.Output, StringComparison.Ordinal);
        Assert.Equal(before, await place.QueryAsync("SHOW CREATE TABLE t; SELECT * FROM t;"));
        await RefreshTests.ShouldHaveNoOthersAsync(place);
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND "
            + "table_name = 'bulkload_ledger';"));

        // What the command would refuse, the preview refuses.
        place.Write("t.csv", "id,name\n1,one\n");
        end = await place.RunAsync("import", "t.csv", $"--full-refresh={way}", "--preview");
        end.ShouldExitWith(9);
        end.ShouldSay("fewer than 50% do not replace it");
        await RefreshTests.ShouldHaveNoOthersAsync(place);
    }

    /// <summary>A preview takes nothing from a job that was stopped.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_stopped_job_goes_on_behind_a_preview(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        place.Write("t.csv", "id,name\n" + string.Concat(Enumerable.Range(1, 50).Select(id => $"{id},n{id}\n")) + "x,y\n");
        string[] words = ["import", "t.csv", "--full-refresh", "--rows-per-chunk", "10"];
        (await place.RunAsync(words)).ShouldExitWith(4);
        (await place.RunAsync([.. words, "--preview", "--max-rejects", "1"])).ShouldExitWith(3);
        (await place.RunAsync([.. words, "--preview", "--max-rejects", "1", "--ledger-schema", place.Database])).ShouldExitWith(3);
        (await place.RunAsync([.. words, "--plan"])).ShouldExitWith(0);
        place.Write("t.csv", "id,name\n" + string.Concat(Enumerable.Range(1, 50).Select(id => $"{id},n{id}\n")) + "51,n51\n");
        var end = await place.RunAsync(words);
        end.ShouldExitWith(0);
        Assert.Contains("50 were there from an earlier run", end.Output, StringComparison.Ordinal);
        Assert.Equal("51", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        await RefreshTests.ShouldHaveNoOthersAsync(place);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Another_file_is_loaded_whole_in_place_of_what_an_earlier_start_has_loaded(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        place.Write("t.csv", "id,name\n" + string.Concat(Enumerable.Range(1, 50).Select(id => $"{id},n{id}\n")) + "x,y\n");
        string[] words = ["import", "t.csv", "--full-refresh", "--rows-per-chunk", "10"];
        (await place.RunAsync(words)).ShouldExitWith(4);
        place.Write("t.csv", "id,name\n" + string.Concat(Enumerable.Range(101, 50).Select(id => $"{id},m{id}\n")));
        var end = await place.RunAsync(words);
        end.ShouldExitWith(0);
        Assert.Contains("what an earlier start had loaded does not fit, and all was loaded again: ", end.Output, StringComparison.Ordinal);
        Assert.Equal("50\t101", await place.ScalarAsync("SELECT COUNT(*), MIN(id) FROM t;"));
        await RefreshTests.ShouldHaveNoOthersAsync(place);
    }

    /// <summary>The earlier start has loaded all of its file, and could not exchange the tables.</summary>
    [Theory]
    [CombinatorialServers("1,m1\n2,m2\n", "1,n1\n2,n2\n3,n3\n", "1,n1\n", "7,m7\n")]
    public async Task Another_file_is_loaded_whole_where_only_the_exchange_was_missing(string server, string lines)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        place.Write("t.csv", "id,name\n1,n1\n2,n2\n");
        string[] words = ["import", "t.csv", "--full-refresh=swap", "--min-rows", "0%", "--retry-for", "1s"];
        await using (var holder = await place.HoldAsync("t"))
        {
            (await place.RunAsync(words)).ShouldExitWith(1);
        }

        place.Write("t.csv", $"id,name\n{lines}");
        var end = await place.RunAsync(words);
        end.ShouldExitWith(0);
        Assert.Contains("what an earlier start had loaded does not fit, and all was loaded again: ", end.Output, StringComparison.Ordinal);
        Assert.Equal(string.Join("\n", lines.Split('\n').Order()).Trim(),
            (await place.QueryAsync("SELECT CONCAT(id, ',', name) AS '' FROM t ORDER BY id;")).Trim());
        await RefreshTests.ShouldHaveNoOthersAsync(place);
    }

    /// <summary>What was loaded is all of some inputs, and another start names others, or takes other records of them.</summary>
    [Theory]
    [CombinatorialServers("fewer", "more", "limit", "copy", "header")]
    public async Task Other_inputs_are_loaded_whole_where_only_the_exchange_was_missing(string server, string kind)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT);");
        place.Write("a.csv", "id\n1\n2\n");
        place.Write("b.csv", "id\n3\n4\n");
        place.Write("copy.csv", "id\n1\n2\n");
        string[] options = ["--table", "t", "--full-refresh=swap", "--min-rows", "0%", "--retry-for", "1s"];
        await using (var holder = await place.HoldAsync("t"))
        {
            (await place.RunAsync(["import", "a.csv", .. kind == "fewer" ? ["b.csv"] : Array.Empty<string>(), .. options]))
                .ShouldExitWith(1);
        }

        if (kind == "header")
        {
            place.Write("a.csv", "id\n");
        }

        var (words, expected) = kind switch
        {
            "fewer" => ((string[])["b.csv"], "3,4"),
            "more" => (["a.csv", "b.csv"], "1,2,3,4"),
            "limit" => (["a.csv", "--limit", "1"], "1"),
            "copy" => (["a.csv", "copy.csv"], "1,1,2,2"),
            _ => (["a.csv"], "NULL"),
        };
        var end = await place.RunAsync(["import", .. words, .. options]);
        end.ShouldExitWith(0);
        Assert.Contains("what an earlier start had loaded does not fit, and all was loaded again: ", end.Output, StringComparison.Ordinal);
        Assert.Equal(expected, await place.ScalarAsync("SELECT GROUP_CONCAT(id ORDER BY id) FROM t;"));
        await RefreshTests.ShouldHaveNoOthersAsync(place);
    }

    /// <summary>It could not be read again if it were another one than that of the earlier start.</summary>
    [Theory]
    [CombinatorialServers("same", "other")]
    public async Task A_pipe_is_loaded_whole_where_only_the_exchange_was_missing(string server, string content)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        string[] words = ["import", "-", "--table", "t", "--full-refresh=swap", "--min-rows", "0%", "--retry-for", "1s"];
        await using (var holder = await place.HoldAsync("t"))
        {
            var first = await place.PipeAsync("id,name\n1,n1\n2,n2\n", words);
            first.ShouldExitWith(1);
            Assert.DoesNotContain("continues with this step", first.Error, StringComparison.Ordinal);
        }

        var end = await place.PipeAsync(content == "same" ? "id,name\n1,n1\n2,n2\n" : "id,name\n1,m1\n", words);
        end.ShouldExitWith(0);
        Assert.Contains("what an earlier start had loaded was not used, since standard input can be read only once", end.Output,
            StringComparison.Ordinal);
        Assert.Equal(content == "same" ? "n1,n2" : "m1", await place.ScalarAsync("SELECT GROUP_CONCAT(name ORDER BY id) FROM t;"));
        await RefreshTests.ShouldHaveNoOthersAsync(place);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Rights_that_the_last_step_needs_are_asked_for_before_the_first_row(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        await using var account = await TestAccount.CreateAsync(place.Server, "IDENTIFIED BY 'Few-rights/1'", "Few-rights/1");
        await place.QueryAsync($"GRANT SELECT, INSERT, UPDATE, DELETE, CREATE ON {place.Database}.* TO '{account.User}'@'%';");
        place.Write("t.csv", "id,name\n1,one\n2,two\n");
        var end = await place.RunAsync(account, "import", "t.csv", "--full-refresh=swap");
        end.ShouldExitWith(9);
        end.ShouldSay("the server does not rename the table beside it, and so would not exchange the two");
        end.ShouldSay("GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP ON ");
        Assert.Equal("3", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }
}
