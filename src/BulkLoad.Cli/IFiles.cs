namespace BulkLoad.Cli;

/// <summary>What the program reads of the file system before a job starts.</summary>
internal interface IFiles
{
    bool Exists(string path);

    /// <exception cref="IOException">or <see cref="UnauthorizedAccessException"/>: it cannot be read</exception>
    byte[] Read(string path);

    /// <summary>The first bytes of a file, no more than asked for.</summary>
    /// <exception cref="IOException">or <see cref="UnauthorizedAccessException"/>: it cannot be read</exception>
    byte[] ReadStart(string path, int most);

    /// <summary>Full paths of a folder's files, in ordinal order.</summary>
    /// <exception cref="IOException">or <see cref="UnauthorizedAccessException"/>: it is no folder, or cannot be read</exception>
    IReadOnlyList<string> In(string folder);

    /// <summary>The permission bits, or none where the system has no such thing.</summary>
    /// <exception cref="IOException">or <see cref="UnauthorizedAccessException"/>: it is not there, or cannot be looked at</exception>
    UnixFileMode ModeOf(string path);
}

/// <summary>The machine's own file system.</summary>
internal sealed class MachineFiles : IFiles
{
    public bool Exists(string path) => Path.Exists(path);

    public byte[] Read(string path) => File.ReadAllBytes(path);

    public byte[] ReadStart(string path, int most)
    {
        // Opening a pipe would wait for its writer.
        if (!File.Exists(path) || new FileInfo(path).Length == 0)
        {
            throw new IOException("not a file with content");
        }

        using var file = File.OpenRead(path);
        var bytes = new byte[most];
        return bytes[..file.ReadAtLeast(bytes, most, throwOnEndOfStream: false)];
    }

    public IReadOnlyList<string> In(string folder)
    {
        var files = Directory.GetFiles(folder);
        Array.Sort(files, StringComparer.Ordinal);
        return files;
    }

    public UnixFileMode ModeOf(string path) => OperatingSystem.IsWindows() ? UnixFileMode.None : File.GetUnixFileMode(path);
}
