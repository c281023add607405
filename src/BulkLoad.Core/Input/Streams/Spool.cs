using BulkLoad.Core.Sorting;
using Microsoft.Win32.SafeHandles;

namespace BulkLoad.Core.Input.Streams;

/// <summary>The bytes of a pipe in a temporary file, so that they can be read more than once.</summary>
internal sealed class Spool : IDisposable
{
    private const int CopyBytes = 1024 * 1024;

    private readonly FileStream _file;

    private Spool(FileStream file, string name, string? path)
    {
        _file = file;
        Name = name;
        Path = path;
    }

    public string Name { get; }

    /// <summary>Its path as the user typed it; null for a stream.</summary>
    public string? Path { get; }

    /// <summary>Takes all that comes through a pipe.</summary>
    /// <param name="source">read to its end; stays the caller's</param>
    /// <exception cref="InputException">the pipe cannot be read</exception>
    /// <exception cref="TempFileException">there is no room</exception>
    public static Spool Of(Stream source, string name, string? path, string folder, CancellationToken cancellationToken)
    {
        var input = new RawInputStream(source, name, cancellationToken);
        var file = TempFile.Create(folder);
        try
        {
            var buffer = new byte[CopyBytes];
            while (input.Read(buffer) is > 0 and var count)
            {
                file.Write(buffer, 0, count);
            }

            file.Flush();
            return new Spool(file, name, path);
        }
        catch (Exception fault)
        {
            TempFile.Discard(file);
            if (fault is IOException)
            {
                throw TempFile.Fault(folder, fault);
            }

            throw;
        }
    }

    /// <summary>A stream of the bytes from the first one on; several may be open at a time.</summary>
    public Stream Read() => new Reader(_file.SafeFileHandle);

    public void Dispose() => _file.Dispose();

    private sealed class Reader(SafeFileHandle file) : ForwardStream
    {
        private long _at;

        public override int Read(Span<byte> buffer)
        {
            var count = RandomAccess.Read(file, buffer, _at);
            _at += count;
            return count;
        }
    }
}
