using BulkLoad.Core.Rejects;

namespace BulkLoad.Cli.Output;

/// <summary>The file of <c>--report</c>, <c>--write-spec</c> or <c>--junit</c>: opened before anything is sent, written at the end. An
/// existing file stays as it is until then; an unused new file is deleted.</summary>
internal sealed class JsonFile : IDisposable
{
    private readonly string _option;
    private readonly string _path;
    private readonly FileStream _file;
    private bool _isNew;

    private JsonFile(string option, string path, FileStream file, bool isNew)
    {
        _option = option;
        _path = path;
        _file = file;
        _isNew = isNew;
    }

    /// <param name="option">that names it, for messages</param>
    /// <param name="path">as typed; null: no file</param>
    /// <param name="overwrite">whether an existing file is replaced</param>
    /// <exception cref="RequestException">it cannot be opened, or exists already</exception>
    public static JsonFile? Open(string option, string? path, bool overwrite)
    {
        if (path is null)
        {
            return null;
        }

        var isNew = !File.Exists(path);
        return new JsonFile(option, path, OpenStream(option, path, overwrite, FileMode.OpenOrCreate), isNew);
    }

    /// <summary>Whether a regular file is empty, or begins in a certain way.</summary>
    /// <param name="isOwn">judges its first characters</param>
    public static bool Begins(string? path, Func<string, bool> isOwn)
    {
        if (path is null || !OutputFiles.IsRegularFile(path))
        {
            return false;
        }

        try
        {
            using var file = File.OpenRead(path);
            Span<byte> start = stackalloc byte[512];
            var length = file.ReadAtLeast(start, start.Length, throwOnEndOfStream: false);
            return length == 0 || isOwn(Encoding.UTF8.GetString(start[..length]));
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    /// <param name="mode">for a file that may be replaced</param>
    /// <inheritdoc cref="Open" path="/exception" />
    public static FileStream OpenStream(string option, string path, bool overwrite, FileMode mode)
    {
        try
        {
            return new FileStream(path, overwrite ? mode : FileMode.CreateNew, FileAccess.Write, FileShare.Read, bufferSize: 0);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new RequestException(File.Exists(path) && !overwrite
                ? $"{option}: '{path}' already exists; --overwrite replaces it"
                : $"{option}: '{path}' cannot be written: {FileFault.Describe(fault, path)}");
        }
    }

    /// <param name="write">writes the whole content</param>
    /// <exception cref="OutputException">it cannot be written</exception>
    public void Write(Action<Stream> write)
    {
        try
        {
            write(_file);
            if (_file.CanSeek)
            {
                _file.SetLength(_file.Position);
            }

            _isNew = false;
        }
        catch (IOException fault)
        {
            throw new OutputException($"{_option}: '{_path}' cannot be written: {FileFault.Describe(fault, _path)}");
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
