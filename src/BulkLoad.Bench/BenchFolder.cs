namespace BulkLoad.Bench;

/// <summary>A folder for files, deleted at the end.</summary>
internal sealed class BenchFolder(string parent) : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateDirectory(Path.Combine(parent, $"bulkload-bench-{Guid.NewGuid():N}"));

    /// <summary>Writes a CSV file, and returns its path. No value may need quotes.</summary>
    public string Write(string name, string header, IEnumerable<BatchUser> users, Func<BatchUser, IEnumerable<string?>> cells)
    {
        var path = Path.Combine(_folder.FullName, name);
        using var file = new StreamWriter(path, append: false, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false));
        file.Write($"{header}\n");
        foreach (var user in users)
        {
            file.Write($"{string.Join(',', cells(user))}\n");
        }

        return path;
    }

    public void Dispose() => _folder.Delete(recursive: true);
}
