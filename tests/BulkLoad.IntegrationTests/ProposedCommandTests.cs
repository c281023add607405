namespace BulkLoad.IntegrationTests;

/// <summary>What an error about an input proposes is typed as it stands, and does what it says.</summary>
public sealed class ProposedCommandTests
{
    [Theory]
    [InlineData("in.csv", "a^b\n1^x\n2^y\n", null, "--create", "1\tx\n2\ty\n")]
    [InlineData("in.csv", "a::b\n1::x\n2::y\n", null, "--create", "1\tx\n2\ty\n")]
    [InlineData("in.csv", "a\u0001b\n1\u0001x\n2\u0001y\n", null, "--create", "1\tx\n2\ty\n")]
    [InlineData("in.csv", "Titolo\n1|x\n2|y\n3|z\n", null, "--create --no-header --max-rejects 1", "1\tx\n2\ty\n3\tz\n")]
    [InlineData("in.csv", "AL,R+27\nAK,R+15\nAZ,R+9\n", null, "--create", "AK\tR+15\nAL\tR+27\nAZ\tR+9\n")]
    [InlineData("in.csv", "a;b|c\n1;2|3\n", null, "--create", "1\t2|3\n")]
    [InlineData("in.json", "{\"n\":1,\"data\":{\"rows\":[{\"id\":1,\"v\":\"x\"}]}}", null, "--create", "1\tx\n")]
    [InlineData("in.json", "{\"rows\":[{\"id\":1,\"v\":\"x\"}]}", "id INT, v VARCHAR(9)", "", "1\tx\n")]
    [InlineData("in.csv", "Id,Updated At,\n1,2024-01-02,\n", "id INT, updated_at DATE", "", "1\t2024-01-02\n")]
    [InlineData("in.csv", "id,gro\u0308ße\n1,7\n", "id INT, größe INT", "", "1\t7\n")]
    [InlineData("in.csv", "id, v\n1, x\n", "id INT, v VARCHAR(9)", "", "1\tx\n")]
    [InlineData("in.csv", "1,x\n2,y\n", "id INT, v VARCHAR(9)", "", "1\tx\n2\ty\n")]
    [InlineData("in.csv", "id;v\n1;x\n", "id INT, v VARCHAR(9)", "--delimiter ,", "1\tx\n")]
    [InlineData("in.csv", "id,ID,,v \n1,2,3,x\n", null, "--create", "1\t2\t3\tx\n")]
    [InlineData("in.csv", "{\"id\":1,\"v\":\"x\"}\n", "id INT, v VARCHAR(9)", "", "1\tx\n")]
    [InlineData("in.log", "#Version: 1.0\n#Fields: id c-ip\n1 10.0.0.1\n2 10.0.0.2\n", null, "--create", "1\t10.0.0.1\n2\t10.0.0.2\n")]
    [InlineData("in.csv", "a||b||c\n1||2||3\n", "a INT, b INT, c INT", "", "1\t2\t3\n")]
    [InlineData("in.csv", "a||b||c\n1||2||3\n", null, "--create", "1\t2\t3\n")]
    [InlineData("in.txt", "id\tv\n1\tx\n", "id INT, v VARCHAR(9)", "--format mysql", "1\tx\n")]
    [InlineData("in.csv", "a,b\n1,2\n", "b INT, a INT", "--columns b,a", "1\t2\n")]
    [InlineData("in.tsv", "Ann\tRome\nBob\t\\N\nEve\tx\n", null, "--create", "Ann\tRome\nBob\tNULL\nEve\tx\n")]
    [InlineData("in.csv", "i\0d\0,\0v\0\n\u00001\0,\u00002\0\n\0", "id INT, v INT", "--encoding utf-8", "1\t2\n")]
    [InlineData("in.csv", "\0i\0d\0,\0v\0\n\u00001\0,\u00002\0\n", "id INT, v INT", "--encoding latin1", "1\t2\n")]
    [InlineData("in.csv", "id,v\n1,\n2,5\n", "id INT, v INT", "--columns id,@v --set \"v=if(@v='',0,@v)\"", "1\t0\n2\t5\n")]
    public async Task The_first_command_that_is_proposed_loads_the_rows(
        string name, string content, string? columns, string options, string rows)
    {
        foreach (var server in Servers.Both.Select(row => Servers.Get(row.Data)))
        {
            await using var place =
                await Workplace.CreateAsync(server, columns is null ? "" : $"CREATE TABLE t ({columns}) CHARACTER SET utf8mb4;");
            place.Write(name, content);
            var refused = await RunAsync(place, $"bulkload import {name} --table t {options}");
            refused.ShouldExitWith(options.Contains("--set", StringComparison.Ordinal) ? 2 : 6);
            var proposed = refused.Error.Split('\n')
                .Select(line => line.IndexOf(": bulkload import ", StringComparison.Ordinal) is > 0 and var at ? line[(at + 2)..] : null)
                .FirstOrDefault(line => line is not null);
            Assert.True(proposed is not null, refused.ToString());
            var end = await RunAsync(place, proposed);
            Assert.True(end.ExitCode is 0 or 3, $"{proposed}\n{end}");
            Assert.Equal(rows, await ServerClient.RunAsync(server, place.Database, "SELECT * FROM t ORDER BY 1;", "--skip-column-names"));
        }
    }

    [Theory]
    [InlineData("id,v\n1,5\" nail\n", "id INT, v VARCHAR(20)", "1\t5\" nail\n")]
    [InlineData("id,v\n1,\"a\" b\n2,c\n", "id INT, v VARCHAR(20)", "1\t\"a\" b\n2\tc\n")]
    [InlineData("id,v\n1,\"a \\\"b\\\"\"\n", "id INT, v VARCHAR(20)", "1\ta \"b\"\n")]
    [InlineData("id,v\n1,a,\n2,b,\n", "id INT, v VARCHAR(20)", "1\ta\n2\tb\n")]
    [InlineData("id,v,w\n1,a\n2,b,c\n", "id INT, v VARCHAR(20), w VARCHAR(20)", "1\ta\tNULL\n2\tb\tc\n")]
    [InlineData("id,v\n1,a\nid,v\n2,b\n", "id INT, v VARCHAR(20)", "1\ta\n2\tb\n")]
    [InlineData("id,v\n1,3.5\n2,4.5\nTotal,,8\n", "id INT, v DECIMAL(9,1)", "1\t3.5\n2\t4.5\n")]
    [InlineData("id,v\n1;a\n2,b\n3,c\n", "id INT, v VARCHAR(20)", "1\ta\n2\tb\n3\tc\n")]
    [InlineData("id,v\n1,0.126\n2,3\n", "id INT, v DECIMAL(9,2)", "1\t0.13\n2\t3.00\n")]
    [InlineData("id,v\n1,2024-01-02 10:00:00.6\n", "id INT, v DATETIME", "1\t2024-01-02 10:00:01\n")]
    [InlineData("id,v\n1,31.12.2024\n2,\n", "id INT, v DATE", "1\t2024-12-31\n2\tNULL\n")]
    [InlineData("id,v\n1,\"\"\n2,\"7\"\n", "id INT, v INT", "1\tNULL\n2\t7\n")]
    [InlineData("id,v\n1,n/a\n2,7\n", "id INT, v INT", "1\tNULL\n2\t7\n")]
    public async Task What_a_refused_import_names_finds_the_options_that_load_the_rows(string content, string columns, string rows)
    {
        foreach (var server in Servers.Both.Select(row => Servers.Get(row.Data)))
        {
            await using var place = await Workplace.CreateAsync(server, $"CREATE TABLE t ({columns}) CHARACTER SET utf8mb4;");
            place.Write("in.csv", content);
            var refused = await RunAsync(place, "bulkload import in.csv --table t");
            Assert.Equal(4, refused.ExitCode);
            var search = refused.Error.Split('\n')
                .Select(line => line.IndexOf(": bulkload check ", StringComparison.Ordinal) is > 0 and var at ? line[(at + 2)..] : null)
                .FirstOrDefault(line => line is not null);
            Assert.True(search is not null, refused.ToString());
            Assert.EndsWith(" --suggest", search, StringComparison.Ordinal);
            var found = await RunAsync(place, search);
            var proposed = found.Output.Split('\n').FirstOrDefault(line => line.StartsWith("  bulkload import ", StringComparison.Ordinal));
            Assert.True(found.ExitCode == 0 && proposed is not null, $"{search}\n{found}");
            var end = await RunAsync(place, proposed);
            Assert.True(end.ExitCode == 0, $"{proposed}\n{end}");
            Assert.Equal(rows, await ServerClient.RunAsync(server, place.Database, "SELECT * FROM t ORDER BY 1;", "--skip-column-names"));
        }
    }

    /// <summary>Each is typed where nothing was done yet. One that is to show what is refused ends with 4.</summary>
    [Theory]
    [InlineData("delete --ids in.txt --table t --yes", "key\n1\n", "id INT PRIMARY KEY, v INT", 2)]
    [InlineData("delete --ids in.txt --table t --yes", "\"1\"\n", "id INT PRIMARY KEY, v INT", 1)]
    [InlineData("delete --ids in.txt --table t --yes", "1\n7\n", "id INT PRIMARY KEY, v INT", 1)]
    [InlineData("update in.txt --table t", "id,v\n1,2\n7,2\n", "id INT PRIMARY KEY, v INT", 1)]
    [InlineData("import in.txt --table t", "id,v\n2,\n", "id INT PRIMARY KEY, v INT NOT NULL DEFAULT 5", 2)]
    [InlineData("import in.txt --table t", "id,v\n1,2\n", "id INT PRIMARY KEY, v INT", 2)]
    [InlineData("import in.txt --table t", "id,v\n2,\n3,\n", "id INT PRIMARY KEY, v VARCHAR(9) NOT NULL DEFAULT 'x', UNIQUE (v)", 1)]
    public async Task Every_command_that_an_error_proposes_can_be_typed(string command, string content, string columns, int least)
    {
        foreach (var server in Servers.Both.Select(row => Servers.Get(row.Data)))
        {
            await using var place = await Workplace.CreateAsync(server, $"CREATE TABLE t ({columns});");
            place.Write("in.txt", content);
            await ResetAsync(place);
            var refused = await RunAsync(place, $"bulkload {command}");
            Assert.NotEqual(0, refused.ExitCode);
            string[] proposed = [.. refused.Error.Split('\n')
                .Select(line => line.IndexOf(": bulkload ", StringComparison.Ordinal) is > 0 and var at ? line[(at + 2)..] : null)
                .OfType<string>()];
            Assert.True(proposed.Length >= least, refused.ToString());
            foreach (var line in proposed)
            {
                await ResetAsync(place);
                var end = await RunAsync(place, line);
                Assert.True(
                    end.ExitCode is 0 or 3 or 4 && !end.Error.Contains("unknown option", StringComparison.Ordinal), $"{line}\n{end}");
            }
        }
    }

    /// <summary>Of the records that only the server can judge any may be one more reject.</summary>
    [Theory]
    [CombinatorialServers("", ", if the server takes all")]
    public async Task A_limit_of_rejects_that_a_check_proposes_is_enough(string server, string unless)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, v DECIMAL(5,2));"
            + (unless.Length > 0 ? "INSERT INTO t VALUES (1, 1);" : ""));
        place.Write("in.csv", "id,v\n7,9.99\nxx,1\n8,1,2\n50,1000.00\n60,1\n");
        var check = await place.RunAsync("check", "in.csv", "--table", "t");
        check.ShouldExitWith(4);
        var line = check.Output.Split('\n').Single(one => one.Contains($"to load the others{unless}: ", StringComparison.Ordinal));
        var end = await RunAsync(place, line[(line.IndexOf(": bulkload ", StringComparison.Ordinal) + 2)..]);
        end.ShouldExitWith(3);
        Assert.Equal(unless.Length > 0 ? "3" : "2", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    private static Task<string> ResetAsync(Workplace place) =>
        place.QueryAsync("DROP TABLE IF EXISTS bulkload_ledger; DELETE FROM t; INSERT INTO t (id, v) VALUES (1, 1);");

    private static async Task<ProgramEnd> RunAsync(Workplace place, string line)
    {
        using var program = BulkLoadProcess.StartLine(place, line);
        program.Input.Close();
        return await program.EndAsync();
    }
}
