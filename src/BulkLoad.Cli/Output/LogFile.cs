namespace BulkLoad.Cli.Output;

/// <summary>The file of <c>--log-file</c>: whole lines, thread-safe. If it cannot be written any more the job continues, and
/// <see cref="Fault"/> says so. It may be a pipe or /dev/stdout, which Serilog's own file sink cannot write to: that looks for the file's
/// end.</summary>
internal sealed class LogFile : IDisposable
{
    private readonly string _path;
    private readonly FileStream _file;
    private readonly Lock _gate = new();

    /// <summary>Why lines are missing; null: none are.</summary>
    public string? Fault { get; private set; }

    public LogFile(string path, bool overwrite)
    {
        _path = path;
        try
        {
            _file = new FileStream(path, overwrite ? FileMode.Create : FileMode.Append, FileAccess.Write, FileShare.Read, bufferSize: 0);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new RequestException($"--log-file: '{path}' cannot be written: {FileFault.Describe(fault, path)}");
        }
    }

    public void Write(string line)
    {
        lock (_gate)
        {
            if (Fault is not null)
            {
                return;
            }

            try
            {
                _file.Write(Encoding.UTF8.GetBytes(line + "\n"));
            }
            catch (IOException fault)
            {
                Fault = $"--log-file: '{_path}' cannot be written any more: {FileFault.Describe(fault, _path)}";
            }
        }
    }

    public void Dispose() => _file.Dispose();
}
