using BulkLoad.Core.Sorting;

namespace BulkLoad.Core.Rejects;

/// <summary>An output that grows with the committed chunks. It is opened before anything is sent, and cut when a chunk is rolled back. A
/// new file that stays empty is deleted at the end, unless the job was another run's.</summary>
internal sealed class TransactionalFile : IDisposable
{
    private readonly string _option;
    private readonly string _path;
    private readonly FileStream _file;
    private long _kept;
    private FileIdentity? _made;
    private bool _isLeft;
    private bool _hasBegun;

    private TransactionalFile(string option, string path, FileStream file, bool isNew) =>
        (_option, _path, _file, _kept, _made) = (option, path, file, file.Length, isNew ? FileIdentity.Of(file.Name) : null);

    public bool IsEmpty => _file.Position == 0;

    public long Position => _file.Position;

    /// <summary>Also known after <see cref="Dispose"/>.</summary>
    public bool HasContent => _kept > 0 || _isLeft;

    public DateTime Changed => File.GetLastWriteTimeUtc(_file.Name);

    public string FullPath => Path.GetFullPath(_path);

    /// <summary>Makes the file if necessary. Its content stays until <see cref="Begin"/> or <see cref="GoOn"/>.</summary>
    public static TransactionalFile Open(string option, string path)
    {
        try
        {
            var isNew = !File.Exists(path);
            var file = new FileStream(path, FileMode.OpenOrCreate, FileAccess.Write, FileShare.Read, bufferSize: 64 * 1024);
            return CanBeCut(file) ? new TransactionalFile(option, path, file, isNew)
                : throw new RequestException(
                    $"{option}: '{path}' is not a regular file: records of a chunk that is rolled back could not be removed from it");
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new RequestException($"{option}: '{path}' cannot be written: {FileFault.Describe(fault, path)}");
        }
    }

    /// <summary>False for a device or a pipe, which is closed.</summary>
    private static bool CanBeCut(FileStream file)
    {
        try
        {
            if (file.CanSeek)
            {
                if (file.Length == 0)
                {
                    file.SetLength(0);
                }

                return true;
            }
        }
        catch (IOException)
        {
            // A device has no length.
        }

        file.Dispose();
        return false;
    }

    /// <summary>Empties the file. Throws if it may not: <paramref name="isOwn"/> means that its content is an earlier run's, and not
    /// committed.</summary>
    public void Begin(bool overwrite, bool isOwn = false)
    {
        if (_kept > 0 && !overwrite && !isOwn)
        {
            throw new RequestException($"{_option}: '{_path}' already exists; --overwrite replaces it");
        }

        _file.SetLength(0);
        (_kept, _hasBegun) = (0, true);
        Own(isOwn);
    }

    /// <summary>Cuts the file. If an earlier run recorded the length (<paramref name="isEarlier"/>) and this run began with an empty file,
    /// it was another file's.</summary>
    public void GoBack(long kept, bool isEarlier)
    {
        _kept = Math.Min(_file.Length, isEarlier && _hasBegun ? 0 : kept);
        Write(_ => _file.SetLength(_kept));
        _file.Position = _kept;
    }

    /// <summary>Continues after this number of bytes of an earlier run, and removes the rest. False: the file is shorter.</summary>
    public bool GoOn(long kept, bool isOwn = false)
    {
        if (_file.Length < kept)
        {
            return false;
        }

        _file.SetLength(kept);
        _file.Position = _kept = kept;
        Own(isOwn);
        return true;
    }

    private void Own(bool isOwn) => _made = isOwn ? FileIdentity.Of(_file.Name) : _made;

    public void Write(Action<Stream> write)
    {
        try
        {
            write(_file);
        }
        catch (IOException fault)
        {
            throw new RejectFileException($"{_option}: '{_path}' cannot be written: {FileFault.Describe(fault, _path)}", fault);
        }
    }

    public void Flush()
    {
        if (_file.Position > _kept)
        {
            Write(_ => _file.Flush(flushToDisk: true));
        }
    }

    public void Keep() => _kept = _file.Position;

    /// <summary>Removes what was written since the last <see cref="Keep"/>.</summary>
    public void Drop()
    {
        if (_file.Position > _kept)
        {
            Write(_ => _file.SetLength(_kept));
        }
    }

    /// <summary>Keeps what was written since the last <see cref="Keep"/>, without a commit. The next run of the job cuts it.</summary>
    public void Leave()
    {
        Flush();
        _isLeft = _file.Position > 0;
    }

    /// <summary>Sets the file's time a moment back, so a later write is noticed: file times have steps of milliseconds.</summary>
    public void SetTimeBefore(DateTime time)
    {
        try
        {
            File.SetLastWriteTimeUtc(_file.SafeFileHandle, time.AddMilliseconds(-1));
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            // The next start then asks for --overwrite.
        }
    }

    /// <summary>Replaces the first byte of each line since the last <see cref="Keep"/> by the mark. The folder is for a temporary
    /// file.</summary>
    public void MarkLines(ReadOnlySpan<byte> mark, string folder)
    {
        try
        {
            _file.Flush();
            using var lines = TempFile.Create(folder);
            using (var written = new FileStream(_path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete))
            {
                written.Position = _kept;
                written.CopyTo(lines);
            }

            lines.Position = 0;
            _file.Position = _kept;
            CopyMarked(lines, mark);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or TempFileException)
        {
            throw new RejectFileException($"{_option}: '{_path}' cannot be written: {FileFault.Describe(fault, _path)}", fault);
        }
    }

    public bool BeginsWith(ReadOnlySpan<byte> bytes)
    {
        try
        {
            using var file = new FileStream(_path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            Span<byte> first = stackalloc byte[bytes.Length];
            return file.ReadAtLeast(first, first.Length, throwOnEndOfStream: false) == first.Length && first.SequenceEqual(bytes);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    private void CopyMarked(FileStream lines, ReadOnlySpan<byte> mark)
    {
        Span<byte> buffer = new byte[TempFile.BufferBytes];
        var isStart = true;
        while (lines.Read(buffer) is > 0 and var count)
        {
            for (var rest = buffer[..count]; !rest.IsEmpty;)
            {
                if (isStart)
                {
                    _file.Write(mark);
                    rest = rest[1..];
                }

                var end = rest.IndexOf((byte)'\n') + 1;
                isStart = end > 0;
                _file.Write(isStart ? rest[..end] : rest);
                rest = isStart ? rest[end..] : default;
            }
        }
    }

    public void Dispose()
    {
        try
        {
            _file.Dispose();
        }
        catch (IOException)
        {
            // What was kept was flushed before its commit; the rest belongs to no chunk.
        }

        // Another file may have replaced it, and one that existed before is the user's.
        if (_kept == 0 && !_isLeft && _made is { } made && FileIdentity.Of(_file.Name) == made)
        {
            File.Delete(_file.Name);
        }
    }
}
