using BulkLoad.Core;

namespace BulkLoad.Cli.Output;

/// <summary>
/// The file of <c>--report</c>: opened before anything is sent, written at the end. An earlier report stays as it is
/// until then; a file made in vain is taken away again.
/// </summary>
internal sealed class ReportFile : IDisposable
{
    private readonly FileStream _file;
    private bool _isNew;

    private ReportFile(FileStream file, bool isNew)
    {
        _file = file;
        _isNew = isNew;
    }

    /// <exception cref="RequestException">it cannot be opened, or is there already</exception>
    public static ReportFile Open(string path, bool overwrite)
    {
        try
        {
            var isNew = !File.Exists(path);
            var mode = overwrite ? FileMode.OpenOrCreate : FileMode.CreateNew;
            return new ReportFile(new FileStream(path, mode, FileAccess.Write), isNew);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new RequestException(File.Exists(path) && !overwrite
                ? $"--report: '{path}' is there already; --overwrite replaces it"
                : $"--report: '{path}' cannot be written: {fault.Message}");
        }
    }

    /// <exception cref="IOException">it cannot be written</exception>
    public void Write(LoadReport report, ExitCode exitCode)
    {
        ReportJson.Write(_file, report, exitCode);
        if (_file.CanSeek)
        {
            _file.SetLength(_file.Position);
        }

        _file.Flush(flushToDisk: false);
        _isNew = false;
    }

    public void Dispose()
    {
        _file.Dispose();
        if (_isNew)
        {
            File.Delete(_file.Name);
        }
    }
}
