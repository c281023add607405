namespace BulkLoad.Core.Sorting;

/// <summary>Temporary files: only the owner may read them, and they have no name, so none can be left behind.</summary>
internal static class TempFile
{
    public const int BufferBytes = 64 * 1024;

    /// <summary>Opens an empty file for writing and reading. Closing it frees its disk space, however the program ends.</summary>
    public static FileStream Create(string folder)
    {
        var path = Path.Combine(folder, $"bulkload-{Path.GetRandomFileName()}");
        var options = new FileStreamOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.ReadWrite,
            Share = FileShare.Delete,
            BufferSize = BufferBytes,
        };
        if (!OperatingSystem.IsWindows())
        {
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        }

        FileStream? file = null;
        try
        {
            file = new FileStream(path, options);
            File.Delete(path);
            return file;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            file?.Dispose();
            throw Fault(folder, fault);
        }
    }

    /// <summary>Closes a file that nobody needs; a failing write does not matter.</summary>
    public static void Discard(FileStream file)
    {
        try
        {
            file.Dispose();
        }
        catch (IOException)
        {
            // It is closed all the same.
        }
    }

    public static TempFileException Fault(string folder, Exception fault) =>
        new($"a temporary file in '{folder}' cannot be used: {fault.Message}; name another folder with --temp-dir", fault);
}
