using System.IO.Compression;

namespace BulkLoad.DataSet;

/// <summary>
/// The rows of the table <c>bench_users</c>: the same seed gives the same bytes on every machine (but for gzip's, which
/// depend on the runtime's compressor). A row depends on the seed and its id only, so every order, count and format
/// holds the same rows.
/// </summary>
/// <param name="Rows">how many, with the ids from 1 on</param>
/// <param name="Seed">any number</param>
public sealed record UserDataSet(int Rows, ulong Seed)
{
    /// <summary>The table's name, and that of the files.</summary>
    public string Table { get; init; } = "bench_users";

    /// <summary>Whether the rows are written in random order instead of by id.</summary>
    public bool IsShuffled { get; init; }

    /// <summary>Whether <c>id</c> is an AUTO_INCREMENT column.</summary>
    public bool HasAutoIncrement { get; init; } = true;

    /// <summary>CREATE TABLE for the rows, on both servers.</summary>
    public string TableSql => $"""
        DROP TABLE IF EXISTS `{Table}`;
        CREATE TABLE `{Table}` (
          id BIGINT NOT NULL{(HasAutoIncrement ? " AUTO_INCREMENT" : "")} PRIMARY KEY,
          name VARCHAR(64) NOT NULL,
          age INT NULL,
          email VARCHAR(128) NULL,
          score DOUBLE NULL,
          created DATETIME NULL,
          INDEX idx_age (age)
        ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

        """;

    /// <summary>Fills the table by the server's own client, to be run in the folder of the files; the last result set is the count of warnings.</summary>
    public string LoadExpectedSql => $"""
        SET NAMES utf8mb4;
        LOAD DATA LOCAL INFILE '{FileName(DataFormat.Mysql)}' INTO TABLE `{Table}` CHARACTER SET utf8mb4 (id, name, age, email, score, created);
        SHOW COUNT(*) WARNINGS;

        """;

    /// <summary>The name of the file in one format, without a folder.</summary>
    public string FileName(DataFormat format) => Table + format switch
    {
        DataFormat.Csv => ".csv",
        DataFormat.Tsv => ".tsv",
        DataFormat.Mysql => ".mysql.txt",
        DataFormat.Jsonl => ".jsonl",
        DataFormat.Gz => ".csv.gz",
        _ => throw new ArgumentOutOfRangeException(nameof(format)),
    };

    /// <summary>Writes a file for each format, <c>table.sql</c> and <c>load-expected.sql</c>; what is there is overwritten.</summary>
    public void WriteFiles(string folder, IEnumerable<DataFormat> formats)
    {
        Directory.CreateDirectory(folder);
        File.WriteAllText(Path.Combine(folder, "table.sql"), TableSql);
        File.WriteAllText(Path.Combine(folder, "load-expected.sql"), LoadExpectedSql);
        Write([.. formats.Select(format => (format, (Stream)File.Create(Path.Combine(folder, FileName(format)), bufferSize: 0)))]);
    }

    /// <summary>Writes the rows in one format and closes the stream.</summary>
    public void Write(Stream stream, DataFormat format) => Write([(format, stream)]);

    private void Write(IReadOnlyList<(DataFormat Format, Stream Stream)> targets)
    {
        (RowEncoder Encoder, OutputBuffer Output)[] outputs =
            [.. targets.Select(target => (RowEncoder.Of(target.Format), new OutputBuffer(Compressed(target.Format, target.Stream))))];
        try
        {
            foreach ((RowEncoder encoder, OutputBuffer output) in outputs)
            {
                encoder.WriteHeader(output);
            }

            var row = new UserRow();
            foreach (int id in Ids())
            {
                row.Fill(Seed, id);
                foreach ((RowEncoder encoder, OutputBuffer output) in outputs)
                {
                    encoder.WriteRow(row, output);
                }
            }
        }
        finally
        {
            foreach ((_, OutputBuffer output) in outputs)
            {
                output.Dispose();
            }
        }
    }

    private static Stream Compressed(DataFormat format, Stream stream) =>
        format == DataFormat.Gz ? new GZipStream(stream, CompressionLevel.Optimal) : stream;

    private IEnumerable<int> Ids()
    {
        if (!IsShuffled)
        {
            return Enumerable.Range(1, Rows);
        }

        int[] ids = [.. Enumerable.Range(1, Rows)];
        var random = new SplitMix64(Seed);
        // Fisher-Yates.
        for (int left = ids.Length; left > 1; left--)
        {
            int chosen = random.Below(left);
            (ids[chosen], ids[left - 1]) = (ids[left - 1], ids[chosen]);
        }

        return ids;
    }
}
