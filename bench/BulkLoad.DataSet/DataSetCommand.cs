using System.CommandLine;
using System.CommandLine.Parsing;

namespace BulkLoad.DataSet;

/// <summary>The command line of <c>dataset</c>.</summary>
internal static class DataSetCommand
{
    public static RootCommand Create()
    {
        var rows = new Option<int>("--rows") { Description = "how many rows", DefaultValueFactory = _ => 1_000_000 };
        var seed = new Option<ulong>("--seed") { Description = "the same seed gives the same rows", DefaultValueFactory = _ => 20261 };
        var table = new Option<string>("--table") { Description = "name of the table and the files", DefaultValueFactory = _ => "bench_users" };
        var shuffle = new Option<bool>("--shuffle") { Description = "rows in random order instead of by id" };
        var noAutoIncrement = new Option<bool>("--no-auto-increment") { Description = "table.sql without AUTO_INCREMENT" };
        var outFolder = new Option<string>("--out") { Description = "folder to write to; made if missing", HelpName = "DIR" };
        var formats = new Option<DataFormat[]>("--formats")
        {
            Description = "which files to write, separated by commas (all)",
            HelpName = "csv,tsv,mysql,jsonl,gz",
            CustomParser = ParseFormats,
        };
        var stdout = new Option<DataFormat?>("--stdout") { Description = "write one format to standard output instead", HelpName = "FORMAT" };

        var command = new RootCommand("Writes the rows of the benchmarks' table bench_users, the same ones for the same seed.")
        {
            rows, seed, outFolder, formats, stdout, table, shuffle, noAutoIncrement,
        };
        rows.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<int>() < 0)
            {
                result.AddError("--rows: at least 0.");
            }
        });
        command.Validators.Add(result =>
        {
            if (result.GetResult(outFolder) is null == result.GetResult(stdout) is null)
            {
                result.AddError("Give either --out DIR or --stdout FORMAT.");
            }
        });
        command.SetAction(result =>
        {
            var dataSet = new UserDataSet(result.GetValue(rows), result.GetValue(seed))
            {
                Table = result.GetValue(table)!,
                IsShuffled = result.GetValue(shuffle),
                HasAutoIncrement = !result.GetValue(noAutoIncrement),
            };
            if (result.GetValue(stdout) is DataFormat format)
            {
                dataSet.Write(Console.OpenStandardOutput(), format);
            }
            else
            {
                dataSet.WriteFiles(result.GetValue(outFolder)!, result.GetValue(formats) is { Length: > 0 } some ? some : Enum.GetValues<DataFormat>());
            }
        });
        return command;
    }

    private static DataFormat[] ParseFormats(ArgumentResult result)
    {
        var formats = new List<DataFormat>();
        foreach (string name in result.Tokens.SelectMany(token => token.Value.Split(',')))
        {
            if (Enum.TryParse(name, ignoreCase: true, out DataFormat format) && Enum.IsDefined(format) && !formats.Contains(format))
            {
                formats.Add(format);
            }
            else
            {
                result.AddError($"--formats: '{name}' is not one of csv, tsv, mysql, jsonl, gz, or stands twice.");
            }
        }

        return [.. formats];
    }
}
