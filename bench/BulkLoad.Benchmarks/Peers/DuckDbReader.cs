using System.Diagnostics;
using System.Globalization;
using DuckDB.NET.Data;

namespace BulkLoad.Benchmarks.Peers;

/// <summary>How fast DuckDB reads the CSV file of <see cref="BulkLoad.DataSet"/>, in this process, which stays: a query has no start.</summary>
internal static class DuckDbReader
{
    private const string Usage = "duckdb-read FILE";

    /// <summary>Reads numbers of threads from standard input, one a line. Prints for each the rows, and the seconds and CPU seconds of a
    /// query that needs all values.</summary>
    /// <param name="args">behind the word duckdb-read</param>
    public static int Run(string[] args)
    {
        if (args is not [var file])
        {
            Console.Error.WriteLine(Usage);
            return 2;
        }

        using var connection = new DuckDBConnection("Data Source=:memory:");
        connection.Open();
        using var command = connection.CreateCommand();
        while (Console.ReadLine() is { } threads)
        {
            command.CommandText = $"SET threads = {int.Parse(threads, CultureInfo.InvariantCulture)}";
            command.ExecuteNonQuery();
            command.CommandText = Query(file);
            var (start, cpu) = (Stopwatch.GetTimestamp(), Environment.CpuUsage.TotalTime);
            using var reader = command.ExecuteReader();
            reader.Read();
            var rows = reader.GetInt64(0);
            var (seconds, used) = (Stopwatch.GetElapsedTime(start).TotalSeconds, Environment.CpuUsage.TotalTime - cpu);
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{rows} {seconds:F3} {used.TotalSeconds:F3}"));
        }

        return 0;
    }

    private static string Query(string file) => $$"""
        SELECT count(*), sum(id), sum(strlen(name)), sum(age), sum(strlen(email)), max(score), max(created)
        FROM read_csv('{{file.Replace("'", "''", StringComparison.Ordinal)}}', header = true, columns = {
            'id': 'BIGINT', 'name': 'VARCHAR', 'age': 'INTEGER', 'email': 'VARCHAR', 'score': 'DOUBLE', 'created': 'TIMESTAMP'})
        """;
}
