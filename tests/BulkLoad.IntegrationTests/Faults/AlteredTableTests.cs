using System.Text.RegularExpressions;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Tables that are altered or dropped while a job runs.</summary>
public abstract class AlteredTableTests
{
    /// <param name="server">where</param>
    /// <param name="example">strategy, command, what is done to the table, exit code, what is said</param>
    protected static async Task RunAsync(string server, string example)
    {
        var parts = example.Split('|');
        var (strategy, command, change) = (parts[0], parts[1], parts[2]);
        await using var place = await SharedTable.CreateAsync(server, isEmpty: command == "import");
        string[] words = command == "delete"
            ? ["delete", "--ids", "ids.txt", "--table", "t", "--yes", "--strategy", strategy]
            : [command, "changes.csv", "--table", "t", "--strategy", strategy];
        using var program = place.Start([.. words, "--rows-per-chunk", "20", "--max-rate", "100", "--pause-file", "pause"]);
        program.Input.Close();
        await Wait.ForAsync(async () =>
            program.HasEnded || long.Parse(await place.ScalarAsync("SELECT COALESCE(SUM(taken), 0) FROM bulkload_ledger WHERE source >= 0;")
                .ContinueWith(found => found.IsFaulted ? "0" : found.Result, TaskScheduler.Default), CultureInfo.InvariantCulture) > 0);
        place.Write("pause", "");
        await Wait.ForAsync(() => program.ErrorSoFar.Contains("Waiting: 'pause' is there", StringComparison.Ordinal) || program.HasEnded);
        await place.QueryAsync($"{change};");
        File.Delete(Path.Combine(place.Folder, "pause"));
        var end = await program.EndAsync();
        end.ShouldExitWith(int.Parse(parts[3], CultureInfo.InvariantCulture));
        end.ShouldSay(parts[4]);
        Assert.True(end.ExitCode == 0
            || Regex.IsMatch(end.Error, @"(?m)^  (.*: )?[\d,]+ rows (are (in|deleted from) \S+|of \S+ are updated)$"), end.ToString());
        if (end.ExitCode == 0)
        {
            Assert.Equal($"{SharedTable.Rows}\t{SharedTable.Rows * 2}", await place.ScalarAsync("SELECT COUNT(*), SUM(n) FROM t;"));
        }
    }
}

/// <inheritdoc/>
public sealed class AlteredTableImportTests : AlteredTableTests
{
    [Theory]
    [CombinatorialServers(
        "auto|import|DROP TABLE t|9|the server refused: ",
        "auto|import|ALTER TABLE t DROP COLUMN n|9|the server refused: Unknown column 'n'",
        "multi-row-insert|import|ALTER TABLE t ADD COLUMN m INT NOT NULL|9|was altered while the job ran: column 'm' is NOT NULL without a "
            + "default, and the input does not have it\n",
        "bulk-execute|import|ALTER TABLE t ADD COLUMN m INT NOT NULL|9|was altered while the job ran: column 'm' is NOT NULL without a "
            + "default, and the input does not have it\n",
        "load-data|import|ALTER TABLE t ADD COLUMN m INT NOT NULL|9|was altered while the job ran: column 'm' is NOT NULL without a "
            + "default, and the input does not have it\n",
        "load-data|import|ALTER TABLE t MODIFY n DECIMAL(20,1) NOT NULL|9|was altered while the job ran: column 'n' is decimal(20,1) and "
            + "was int",
        "multi-row-insert|import|ALTER TABLE t MODIFY n DECIMAL(20,1) NOT NULL|9|column 'n' is decimal(20,1) and was int",
        "bulk-execute|import|ALTER TABLE t MODIFY n DECIMAL(20,1) NOT NULL|9|column 'n' is decimal(20,1) and was int",
        "auto|import|ALTER TABLE t ADD COLUMN m INT|0|",
        "load-data|import|ALTER TABLE t ADD COLUMN m INT NOT NULL DEFAULT 4|0|")]
    public Task A_table_that_is_changed_in_the_middle_of_an_import_has_the_right_end(string server, string example) =>
        RunAsync(server, example);
}

/// <inheritdoc/>
public sealed class AlteredTableChangeTests : AlteredTableTests
{
    [Theory]
    [CombinatorialServers(
        "auto|update|DROP TABLE t|9|the server refused: ",
        "auto|delete|DROP TABLE t|9|the server refused: ",
        "auto|update|ALTER TABLE t DROP COLUMN n|9|the server refused: Unknown column ",
        "inline-join|update|ALTER TABLE t MODIFY n DECIMAL(20,1) NOT NULL|9|column 'n' is decimal(20,1) and was int",
        "pipelined|update|ALTER TABLE t MODIFY n INT|9|column 'n' has another character set, collation, default or NOT NULL than it had",
        "in-list-delete|delete|ALTER TABLE t MODIFY id BIGINT|9|column 'id' is bigint",
        "auto|update|ALTER TABLE t ADD COLUMN m INT NOT NULL|0|")]
    public Task A_table_that_is_changed_in_the_middle_of_an_update_or_delete_has_the_right_end(string server, string example) =>
        RunAsync(server, example);
}
