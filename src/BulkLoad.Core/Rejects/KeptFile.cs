namespace BulkLoad.Core.Rejects;

/// <summary>
/// An output that grows with the committed chunks: opened before anything is sent, emptied of what belongs to a chunk that is rolled
/// back, deleted at the end where nothing was kept, unless the job turned out to be another start's.
/// </summary>
internal sealed class KeptFile : IDisposable
{
    private readonly string _option;
    private readonly string _path;
    private readonly FileStream _file;
    private long _kept;
    private bool _isOwn;
    private bool _hasBegun;

    private KeptFile(string option, string path, FileStream file, bool isNew) => (_option, _path, _file, _kept, _isOwn) = (option, path, file, file.Length, isNew);

    /// <summary>Whether nothing has been written.</summary>
    public bool IsEmpty => _file.Position == 0;

    /// <summary>Bytes that stay.</summary>
    public long Position => _file.Position;

    /// <summary>Whether something in it stays; known behind <see cref="Dispose"/>, too.</summary>
    public bool HasKept => _kept > 0;

    /// <summary>Where it is.</summary>
    public string FullPath => Path.GetFullPath(_path);

    /// <summary>Opens a file, or makes it; what is in it stays until <see cref="Begin"/> or <see cref="GoOn"/>.</summary>
    /// <param name="option">that named it, for messages</param>
    /// <param name="path">as the user typed it</param>
    /// <exception cref="RequestException">it cannot be opened</exception>
    public static KeptFile Open(string option, string path)
    {
        try
        {
            var isNew = !File.Exists(path);
            var file = new FileStream(path, FileMode.OpenOrCreate, FileAccess.Write, FileShare.Read, bufferSize: 64 * 1024);
            return CanBeCut(file) ? new KeptFile(option, path, file, isNew)
                : throw new RequestException($"{option}: '{path}' is no regular file: what belongs to a chunk that is rolled back could not be taken out of it");
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
    /// <exception cref="RequestException">it is there already</exception>
    public void Begin(bool overwrite)
    {
        if (_kept > 0 && !overwrite)
        {
            throw new RequestException($"{_option}: '{_path}' is there already; --overwrite replaces it");
        }

        _file.SetLength(0);
        (_kept, _isOwn, _hasBegun) = (0, true, true);
    }

    /// <summary>Gives up what was kept behind a place.</summary>
    /// <param name="kept">bytes that stay</param>
    /// <param name="isEarlier">whether that place is one that a former start has written down: where this one has begun with nothing in the file, it was another file's</param>
    /// <exception cref="RejectFileException">it cannot be taken out</exception>
    public void GoBack(long kept, bool isEarlier)
    {
        _kept = Math.Min(_file.Length, isEarlier && _hasBegun ? 0 : kept);
        Write(_ => _file.SetLength(_kept));
        _file.Position = _kept;
    }

    /// <summary>Goes on behind what a former start of the job has kept, and gives up what it wrote behind that.</summary>
    /// <param name="kept">bytes</param>
    /// <returns>false: the file has not so much</returns>
    public bool GoOn(long kept)
    {
        if (_file.Length < kept)
        {
            return false;
        }

        _file.SetLength(kept);
        _file.Position = _kept = kept;
        _isOwn = true;
        return true;
    }

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

        // Another start of the job may have found nothing to keep there so far.
        if (_kept == 0 && _isOwn)
        {
            File.Delete(_file.Name);
        }
    }
}
