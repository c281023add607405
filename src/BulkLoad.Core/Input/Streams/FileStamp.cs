namespace BulkLoad.Core.Input.Streams;

/// <summary>A regular file's length and time of change when it was opened; notices a writer at work.</summary>
internal sealed class FileStamp
{
    private readonly FileStream _file;
    private FileStamp(FileStream file)
    {
        _file = file;
        Length = file.Length;
        Changed = File.GetLastWriteTimeUtc(file.SafeFileHandle);
    }

    public long Length { get; }

    /// <summary>When it was last written to, in UTC.</summary>
    public DateTime Changed { get; }

    /// <summary>The stamp of a regular file; null for pipes, devices and other streams.</summary>
    public static FileStamp? Of(Stream source) => source is FileStream { CanSeek: true } file ? new FileStamp(file) : null;

    /// <summary>What is different now, for people; null where nothing is.</summary>
    /// <param name="bytesRead">the bytes that came until the end was seen; null where it was not</param>
    public string? Difference(long? bytesRead)
    {
        var length = RandomAccess.GetLength(_file.SafeFileHandle);
        if (length != Length)
        {
            return $"{Length} bytes when it was opened, {length} now";
        }

        if (bytesRead is { } read && read != Length)
        {
            return $"{Length} bytes when it was opened, {read} were read";
        }

        var changed = File.GetLastWriteTimeUtc(_file.SafeFileHandle);
        return changed == Changed ? null : $"written to at {changed:yyyy-MM-dd HH:mm:ss}Z";
    }
}
