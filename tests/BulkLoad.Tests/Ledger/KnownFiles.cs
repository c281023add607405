using System.IO.Compression;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Values.Mapping;

namespace BulkLoad.Tests.Ledger;

/// <summary>Small files, and the jobs that have loaded them, as the ledger would have them.</summary>
/// <param name="facts">of the job; its request has the ledger</param>
internal sealed class KnownFiles(LoadFacts facts) : IDisposable
{
    private static readonly SourceOptions Csv = new() { Format = InputFormat.Csv };

    private readonly string _folder = Directory.CreateTempSubdirectory("bulkload-known").FullName;

    public LoadFacts Facts { get; } = facts with { Request = facts.Request with { NoLedger = false, Source = Csv } };

    /// <summary>A file in which each letter is a record; L is one of 100,000 bytes.</summary>
    public static string Text(string letters) =>
        "id,name\n"
        + string.Concat(letters.Select(letter => letter == 'L' ? $"0,{new string('L', 100_000)}\n" : $"{(int)letter},{letter}\n"));

    public string PathOf(string name) => $"{_folder}/{name}";

    public LoadSource Source(string name, string text)
    {
        var path = PathOf(name);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        using (Stream file = File.Create(path))
        {
            using var packed = name.EndsWith(".gz", StringComparison.Ordinal) ? new GZipStream(file, CompressionLevel.Fastest) : file;
            packed.Write(Encoding.UTF8.GetBytes(text));
        }

        using var input = InputFile.Open(path, Csv);
        var look = SourceProbe.Look(input, Csv);
        var mapping = Facts.Request.Kind == JobKind.Delete
            ? KeyMapping.Create(name, look.FieldNames, look.FieldCount, Facts.Table, Facts.Key!.Columns, Facts.Request)
            : ColumnMapping.Create(name, look.FieldNames, look.FieldCount, Facts.Table, Facts.Request, hint: null, Facts.Key?.Columns);
        var source = new LoadSource(look, mapping, null);
        return source with { Content = SourceContent.Look(source, Csv, default) };
    }

    /// <summary>A job as a start writes it down.</summary>
    public JobRecord Describe(IReadOnlyList<LoadSource> sources) =>
        JobStart.Describe(Facts, SortPlan.None, sources, JobIdentity.Of(Facts, sources), DateTime.UnixEpoch);

    /// <summary>A job that has loaded a file.</summary>
    public JobRecord Known(string name, string text) => Known([Source(name, text)]);

    /// <summary>A job that has loaded some files.</summary>
    public JobRecord Known(IReadOnlyList<LoadSource> sources)
    {
        foreach (var source in sources)
        {
            var tap = source.Content!.CreateTap()!;
            using (var input = InputFile.Open(source.Look.Path!, Csv, tap))
            {
                var buffer = new byte[4096];
                while (input.Content.Read(buffer) > 0)
                {
                }
            }

            source.Content.Take(tap);
        }

        return JobStatements.Done(Describe(sources), sources) with { Completed = DateTime.UnixEpoch, Total = new JobTotal(1, 1, 1, 0) };
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);
}
