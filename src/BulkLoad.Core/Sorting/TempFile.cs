namespace BulkLoad.Core.Sorting;

/// <summary>Files for what does not fit into memory: readable by their owner only, and without a name, so that none can stay
/// behind.</summary>
internal static class TempFile
{
    public const int BufferBytes = 64 * 1024;

    /// <summary>Opens an empty file for writing and reading; its disk space is free again when it is closed, however the program
    /// ends.</summary>
    /// <exception cref="TempFileException">it cannot be made there</exception>
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

    /// <summary>Closes a file of which nobody wants anything any more, nor what would still have to be written and finds no room.</summary>
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

    /// <summary>The system's error with where it came from and what can be done.</summary>
    public static TempFileException Fault(string folder, Exception fault) =>
        new($"a temporary file in '{folder}' cannot be used: {fault.Message}; name another folder with --temp-dir", fault);
}
