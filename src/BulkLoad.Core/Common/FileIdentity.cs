using System.Runtime.InteropServices;

namespace BulkLoad.Core.Common;

/// <summary>The file behind a path, by device and inode: paths through links are equal. A file that does not exist is known by folder and
/// name. Without inodes, the path behind all links decides. Regular files can be lost; devices and pipes cannot.</summary>
internal readonly record struct FileIdentity(string Text, bool IsRegular)
{
    private const int MaxLinks = 40;

    public static FileIdentity Of(string path)
    {
        var full = Path.GetFullPath(path);
        if (Inode(full) is var (device, inode, isRegular))
        {
            return new FileIdentity($"{device}:{inode}", isRegular);
        }

        var target = Follow(full);
        if (Path.GetDirectoryName(target) is { Length: > 0 } folder && Inode(folder) is var (folderDevice, folderInode, _))
        {
            return new FileIdentity($"{folderDevice}:{folderInode}/{Path.GetFileName(target)}", IsRegular: true);
        }

        return new FileIdentity(
            Resolve(target), !File.Exists(target) || new FileInfo(target).Attributes is var marks && (marks & FileAttributes.Device) == 0);
    }

    private static string Follow(string path)
    {
        for (var links = 0; links < MaxLinks && LinkOf(path) is { } next; links++)
        {
            path = Path.GetFullPath(next, Path.GetDirectoryName(path) ?? path);
        }

        return path;
    }

    private static string Resolve(string path)
    {
        var folder = Path.GetDirectoryName(path);
        var resolved = string.IsNullOrEmpty(folder) ? path : Path.Join(Resolve(Follow(folder)), Path.GetFileName(path));
        return OperatingSystem.IsLinux() ? resolved : resolved.ToUpperInvariant();
    }

    private static string? LinkOf(string path)
    {
        try
        {
            return new FileInfo(path).LinkTarget;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>By statx(2), whose answer has one layout on every machine. Null: no such file, or no such call.</summary>
    private static (ulong Device, ulong Inode, bool IsRegular)? Inode(string path)
    {
        if (!OperatingSystem.IsLinux())
        {
            return null;
        }

        const int here = -100; // AT_FDCWD
        const uint typeAndInode = 0x0001 | 0x0100; // STATX_TYPE, STATX_INO
        const int typeBits = 0xf000;
        const int regular = 0x8000;
        Span<byte> answer = stackalloc byte[256];
        byte[] name = [.. Encoding.UTF8.GetBytes(path), 0];
        try
        {
            if (StatX(here, ref name[0], 0, typeAndInode, ref MemoryMarshal.GetReference(answer)) != 0)
            {
                return null;
            }
        }
        catch (EntryPointNotFoundException)
        {
            // A C library before statx(2).
            return null;
        }

        var mode = MemoryMarshal.Read<ushort>(answer[28..]);
        var device = ((ulong)MemoryMarshal.Read<uint>(answer[136..]) << 32) | MemoryMarshal.Read<uint>(answer[140..]);
        return (device, MemoryMarshal.Read<ulong>(answer[32..]), (mode & typeBits) == regular);
    }

    [DllImport("libc", EntryPoint = "statx", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int StatX(int folder, ref byte path, int flags, uint mask, ref byte answer);
}
