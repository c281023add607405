using System.Diagnostics;
using System.Globalization;
using BulkLoad.Benchmarks.Objects;

namespace BulkLoad.Benchmarks;

/// <summary>Loads the same objects again and again, in one process that stays.</summary>
internal static class LibraryProgram
{
    private const string Usage = "library --host HOST --port PORT --user USER --database DATABASE --table TABLE --file JSONL";

    /// <summary>Makes the objects, and reads names of ways from standard input, one a line. Prints for each the rows, seconds, CPU seconds,
    /// and bytes allocated a row. The password is in MYSQL_PWD; the table has to be empty.</summary>
    /// <param name="args">behind the word library</param>
    public static async Task<int> RunAsync(string[] args)
    {
        if (ProgramWords.Read(args, ["--table", "--file"], []) is not { } words)
        {
            Console.Error.WriteLine(Usage);
            foreach (var one in ObjectLoad.All)
            {
                Console.Error.WriteLine($"  {one.Way}");
            }

            return 2;
        }

        var users = BenchUser.Read(words["--file"]);
        var task = new ObjectTask(ProgramWords.Connection(words), words["--table"], users);
        while (Console.ReadLine() is { } way)
        {
            var load = ObjectLoad.All.First(one => one.Way == way);
            GC.Collect();
            var (start, cpu, bytes) = (Stopwatch.GetTimestamp(), Environment.CpuUsage.TotalTime, GC.GetTotalAllocatedBytes(precise: true));
            var rows = await load.RunAsync(task);
            var (seconds, used) = (Stopwatch.GetElapsedTime(start).TotalSeconds, Environment.CpuUsage.TotalTime - cpu);
            var perRow = (double)(GC.GetTotalAllocatedBytes(precise: true) - bytes) / users.Count;
            Console.WriteLine(string.Create(
                CultureInfo.InvariantCulture, $"{rows} {seconds:F3} {used.TotalSeconds:F3} {perRow:F1}"));
        }

        return 0;
    }
}
