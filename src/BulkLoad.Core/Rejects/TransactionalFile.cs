using BulkLoad.Core.Sorting;

namespace BulkLoad.Core.Rejects;

/// <summary>
/// An output that grows with the committed chunks: opened before anything is sent, emptied of what belongs to a chunk that is rolled
/// back. One that this start made is deleted at the end where nothing was kept, unless the job turned out to be another start's.
/// </summary>
internal sealed class TransactionalFile : IDisposable
{
    private readonly string _option;
    private readonly string _path;
    private readonly FileStream _file;
    private long _kept;
    private FileIdentity? _made;
    private bool _isLeft;
    private bool _hasBegun;

    /// <param name="isNew">whether it was made now</param>
    private TransactionalFile(string option, string path, FileStream file, bool isNew) =>
        (_option, _path, _file, _kept, _made) = (option, path, file, file.Length, isNew ? FileIdentity.Of(file.Name) : null);

    /// <summary>Whether nothing has been written.</summary>
    public bool IsEmpty => _file.Position == 0;

    /// <summary>Bytes that stay.</summary>
    public long Position => _file.Position;

    /// <summary>Whether something in it stays; known behind <see cref="Dispose"/>, too.</summary>
    public bool HasKept => _kept > 0 || _isLeft;

    /// <summary>When it was written last.</summary>
    public DateTime Changed => File.GetLastWriteTimeUtc(_file.Name);

    /// <summary>Where it is.</summary>
    public string FullPath => Path.GetFullPath(_path);

    /// <summary>Opens a file, or makes it; what is in it stays until <see cref="Begin"/> or <see cref="GoOn"/>.</summary>
    /// <exception cref="RequestException">it cannot be opened</exception>
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
            throw new RequestException($"{option}: '{path}' cannot be written: {fault.Message}");
        }
    }

    /// <summary>Whether it is a file, and not a device or a pipe. One that is none is closed.</summary>
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

    /// <summary>Starts with nothing in it.</summary>
    /// <param name="overwrite">whether it may be emptied for that</param>
    /// <param name="isOwn">whether what is in it is a former start's, and of no commit</param>
    /// <exception cref="RequestException">it is there already</exception>
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

    /// <summary>Gives up what was kept behind a place.</summary>
    /// <param name="kept">bytes that stay</param>
    /// <param name="isEarlier">whether that place is one that a former start has written down: where this one has begun with nothing in the
    /// file, it was another file's</param>
    /// <exception cref="RejectFileException">it cannot be taken out</exception>
    public void GoBack(long kept, bool isEarlier)
    {
        _kept = Math.Min(_file.Length, isEarlier && _hasBegun ? 0 : kept);
        Write(_ => _file.SetLength(_kept));
        _file.Position = _kept;
    }

    /// <summary>Goes on behind what a former start of the job has kept, and gives up what it wrote behind that.</summary>
    /// <param name="kept">bytes</param>
    /// <param name="isOwn">whether what is in it is a former start's, and of no commit</param>
    /// <returns>false: the file has not so much</returns>
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

    /// <exception cref="RejectFileException">it cannot be written</exception>
    public void Write(Action<Stream> write)
    {
        try
        {
            write(_file);
        }
        catch (IOException fault)
        {
            throw new RejectFileException($"{_option}: '{_path}' cannot be written: {fault.Message}", fault);
        }
    }

    /// <summary>Brings what was written to the disk.</summary>
    /// <exception cref="RejectFileException">it cannot be written</exception>
    public void Flush()
    {
        if (_file.Position > _kept)
        {
            Write(_ => _file.Flush(flushToDisk: true));
        }
    }

    /// <summary>What was written so far stays.</summary>
    public void Keep() => _kept = _file.Position;

    /// <summary>What was written since the last <see cref="Keep"/> is taken out again.</summary>
    /// <exception cref="RejectFileException">it cannot be taken out</exception>
    public void Drop()
    {
        if (_file.Position > _kept)
        {
            Write(_ => _file.SetLength(_kept));
        }
    }

    /// <summary>What was written since the last <see cref="Keep"/> stays too, though it is of no commit. The next start of the job cuts it
    /// away.</summary>
    /// <exception cref="RejectFileException">it cannot be written</exception>
    public void Leave()
    {
        Flush();
        _isLeft = _file.Position > 0;
    }

    /// <summary>
    /// Says that it was written last a moment before, so that a write from now on is noticed: file times have steps of milliseconds.
    /// </summary>
    public void DateBefore(DateTime time)
    {
        try
        {
            File.SetLastWriteTimeUtc(_file.SafeFileHandle, time.AddMilliseconds(-1));
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            // Then the next start asks for --overwrite.
        }
    }

    /// <summary>Puts a mark in place of the first byte of each line that was written since the last <see cref="Keep"/>.</summary>
    /// <param name="mark">instead of that byte</param>
    /// <param name="folder">for the lines meanwhile</param>
    /// <exception cref="RejectFileException">it cannot be written</exception>
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
            throw new RejectFileException($"{_option}: '{_path}' cannot be written: {fault.Message}", fault);
        }
    }

    /// <summary>Whether the first bytes are these.</summary>
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
            // What was kept was flushed before its commit; the rest is of no chunk.
        }

        // Another file may have come in its place, and one that was there before is the user's.
        if (_kept == 0 && !_isLeft && _made is { } made && FileIdentity.Of(_file.Name) == made)
        {
            File.Delete(_file.Name);
        }
    }
}
