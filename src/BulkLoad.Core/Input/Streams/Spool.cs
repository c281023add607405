using BulkLoad.Core.Sorting;
using Microsoft.Win32.SafeHandles;

namespace BulkLoad.Core.Input.Streams;

/// <summary>The bytes of a pipe in a temporary file, to be read several times.</summary>
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

    /// <summary>As typed; null for a stream.</summary>
    public string? Path { get; }

    /// <summary>Reads <paramref name="source"/> to its end, and disposes of it.</summary>
    public static Spool Of(Stream source, string name, string? path, string folder, CancellationToken cancellationToken)
    {
        using var input = new RawInputStream(InputFile.WithoutWait(source, cancellationToken), name, cancellationToken);
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

    /// <summary>From the first byte. Several may be open.</summary>
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
