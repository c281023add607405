using BulkLoad.Core;

namespace BulkLoad.Cli.Output;

/// <summary>
/// The file of <c>--report</c>: opened before anything is sent, written at the end. An earlier report stays as it is
/// until then; a file made in vain is taken away again.
/// </summary>
internal sealed class ReportFile : IDisposable
{
    private readonly string _path;
    private readonly FileStream _file;
    private bool _isNew;

    private ReportFile(string path, FileStream file, bool isNew)
    {
        _path = path;
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
            return new ReportFile(path, new FileStream(path, mode, FileAccess.Write, FileShare.Read, bufferSize: 0), isNew);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new RequestException(File.Exists(path) && !overwrite
                ? $"--report: '{path}' is there already; --overwrite replaces it"
                : $"--report: '{path}' cannot be written: {fault.Message}");
        }
    }

    /// <exception cref="OutputException">it cannot be written</exception>
    public void Write(LoadReport report, ExitCode exitCode)
    {
        try
        {
            ReportJson.Write(_file, report, exitCode);
            if (_file.CanSeek)
            {
                _file.SetLength(_file.Position);
            }

            _isNew = false;
        }
        catch (IOException fault)
        {
            throw new OutputException($"--report: '{_path}' cannot be written: {fault.Message}");
        }
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
