namespace BulkLoad.Core.Reading;

/// <summary>
/// A copy on disk of a stream that can be read only once. Its name is gone as soon as it is open, so that nobody else can read it and
/// nothing stays behind however the process ends; the system frees the space when it is disposed of.
/// </summary>
internal sealed class SpoolFile : IDisposable
{
    private readonly string _folder;
    private readonly FileStream _file;
    private long _length;

    private SpoolFile(string folder, FileStream file)
    {
        _folder = folder;
        _file = file;
    }

    /// <param name="folder">null: the system's folder for temporary files</param>
    /// <exception cref="RequestException">no file can be made there</exception>
    public static SpoolFile Create(string? folder)
    {
        folder ??= Path.GetTempPath();
        try
        {
            var path = Path.Join(folder, $"bulkload-{Path.GetRandomFileName()}");
            var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.ReadWrite, Share = FileShare.Delete, BufferSize = 0 };
            if (!OperatingSystem.IsWindows())
            {
                options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
            }

            var file = new FileStream(path, options);
            File.Delete(path);
            return new SpoolFile(folder, file);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new RequestException($"--temp-dir: {folder} takes no file, and input that can be read only once is kept there: {e.Message}");
        }
    }

    /// <summary>The stream itself, with everything that is read from it copied. Owns its source.</summary>
    public Stream Copy(Stream source) => new Passage(source, this);

    /// <summary>Everything that has been copied, from its beginning; to be disposed of before this is.</summary>
    public Stream OpenRead() => new Reader(this);

    public void Dispose() => _file.Dispose();

    private void Append(ReadOnlySpan<byte> bytes)
    {
        try
        {
            RandomAccess.Write(_file.SafeFileHandle, bytes, _length);
            _length += bytes.Length;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new InputException(
                $"{_folder}: the copy of the input cannot be written any further, after {_length} bytes: {e.Message} (--temp-dir names a folder with more room)", e);
        }
    }

    private sealed class Passage(Stream source, SpoolFile spool) : ForwardStream
    {
        public override int Read(Span<byte> buffer)
        {
            var read = source.Read(buffer);
            spool.Append(buffer[..read]);
            return read;
        }

        protected override void Dispose(bool disposing)
        {
            if (disposing)
            {
                source.Dispose();
            }

            base.Dispose(disposing);
        }
    }

    private sealed class Reader(SpoolFile spool) : ForwardStream
    {
        private long _position;

        public override int Read(Span<byte> buffer)
        {
            var read = RandomAccess.Read(spool._file.SafeFileHandle, buffer, _position);
            _position += read;
            return read;
        }
    }
}
