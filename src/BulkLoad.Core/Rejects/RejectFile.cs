namespace BulkLoad.Core.Rejects;

/// <summary>
/// The two files of <c>--reject-file</c>: the refused records as they stood in the input, behind all that stood before its first
/// record, so that the file can be mended and loaded as the input was; and beside it one JSON object a record that says why. Both
/// are opened before anything is sent, and deleted at the end where no record was refused.
/// </summary>
internal sealed class RejectFile : IDisposable
{
    private readonly string _path;
    private readonly FileStream _records;
    private readonly FileStream _reasons;
    private byte[] _head = [];
    private byte[] _newline = "\n"u8.ToArray();
    private (long Records, long Reasons) _kept;

    private RejectFile(string path, FileStream records, FileStream reasons)
    {
        _path = path;
        _records = records;
        _reasons = reasons;
    }

    /// <summary>Opens both.</summary>
    /// <param name="path">where the records go</param>
    /// <param name="reasonsPath">where the reasons go</param>
    /// <param name="overwrite">whether files that are there already are emptied</param>
    /// <exception cref="RequestException">one cannot be opened, or is there already</exception>
    public static RejectFile Open(string path, string reasonsPath, bool overwrite)
    {
        var records = OpenOne(path, overwrite);
        try
        {
            return new RejectFile(path, records, OpenOne(reasonsPath, overwrite));
        }
        catch
        {
            records.Dispose();
            throw;
        }
    }

    /// <summary>Says how the input is written.</summary>
    /// <param name="head">the input's bytes before its first record: byte order mark, lines that are skipped, header</param>
    /// <param name="newline">ends a record</param>
    public void Describe(byte[] head, byte[] newline) => (_head, _newline) = (head, newline);

    /// <summary>Takes a record and its reason.</summary>
    /// <exception cref="RejectFileException">it cannot be written</exception>
    public void Add(Reject reject) => Write(() =>
    {
        if (_records.Position == 0)
        {
            _records.Write(_head);
        }

        _records.Write(reject.Original.Span);
        _records.Write(_newline);
        RejectReason.Write(_reasons, reject);
    });

    /// <summary>Brings what was added to the disk.</summary>
    /// <exception cref="RejectFileException">it cannot be written</exception>
    public void Flush()
    {
        if (_reasons.Position > _kept.Reasons)
        {
            Write(() =>
            {
                _records.Flush(flushToDisk: true);
                _reasons.Flush(flushToDisk: true);
            });
        }
    }

    /// <summary>What was added so far stays.</summary>
    public void Keep() => _kept = (_records.Position, _reasons.Position);

    /// <summary>What was added since the last <see cref="Keep"/> is taken out again.</summary>
    /// <exception cref="RejectFileException">it cannot be taken out</exception>
    public void Drop() => Write(() =>
    {
        _records.SetLength(_kept.Records);
        _reasons.SetLength(_kept.Reasons);
    });

    public void Dispose()
    {
        var isEmpty = _kept.Reasons == 0;
        Close(_records, isEmpty);
        Close(_reasons, isEmpty);
    }

    private static FileStream OpenOne(string path, bool overwrite)
    {
        try
        {
            return new FileStream(path, overwrite ? FileMode.Create : FileMode.CreateNew, FileAccess.Write, FileShare.Read, bufferSize: 64 * 1024);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new RequestException(File.Exists(path) && !overwrite
                ? $"--reject-file: '{path}' is there already; --overwrite replaces it"
                : $"--reject-file: '{path}' cannot be written: {fault.Message}");
        }
    }

    private void Write(Action write)
    {
        try
        {
            write();
        }
        catch (IOException fault)
        {
            throw new RejectFileException($"--reject-file: '{_path}' cannot be written: {fault.Message}", fault);
        }
    }

    /// <summary>What could not be written is known by now: each chunk's rejects were flushed before its commit.</summary>
    private static void Close(FileStream file, bool isEmpty)
    {
        try
        {
            file.Dispose();
        }
        catch (IOException)
        {
        }

        if (isEmpty)
        {
            File.Delete(file.Name);
        }
    }
}
