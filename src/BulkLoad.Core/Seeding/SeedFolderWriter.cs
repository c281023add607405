namespace BulkLoad.Core.Seeding;

/// <summary>Files of a folder that get their names once all of them are written.</summary>
internal sealed class SeedFolderWriter : IDisposable
{
    private readonly string _folder;
    private readonly bool _isNew;
    private readonly Dictionary<string, string> _parts = [];

    private SeedFolderWriter(string folder, bool isNew) => (_folder, _isNew) = (folder, isNew);

    /// <summary>Makes the folder where it is not there.</summary>
    /// <exception cref="RequestException">it cannot be made, or has files</exception>
    public static SeedFolderWriter Open(string folder, bool force)
    {
        try
        {
            if (!force && Directory.Exists(folder) && Directory.EnumerateFileSystemEntries(folder).Any())
            {
                throw new RequestException(
                    $"folder '{folder}' is not empty: name a new one, or replace the files that are written by --force");
            }

            var isNew = !Directory.Exists(folder);
            Directory.CreateDirectory(folder);
            return new SeedFolderWriter(folder, isNew);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new RequestException($"folder '{folder}' cannot be made: {fault.Message}");
        }
    }

    /// <summary>What to tell where a disk takes no more.</summary>
    public static TempFileException Unwritable(string name, Exception fault) =>
        new($"{name} cannot be written: {fault.Message}; no file was changed", fault);

    /// <summary>A new file.</summary>
    public FileStream Create(string name)
    {
        var part = Path.Combine(_folder, $".{name}.part");
        try
        {
            _parts[name] = part;
            return new FileStream(part, FileMode.Create, FileAccess.Write, FileShare.Read, bufferSize: 0);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw Unwritable(name, fault);
        }
    }

    /// <summary>Forgets a file.</summary>
    public void Drop(string name)
    {
        if (_parts.Remove(name, out var part))
        {
            File.Delete(part);
        }
    }

    /// <summary>Gives all files their names.</summary>
    public void Keep()
    {
        foreach (var (name, part) in _parts)
        {
            try
            {
                File.Move(part, Path.Combine(_folder, name), overwrite: true);
            }
            catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
            {
                throw new TempFileException($"{name} cannot be written: {fault.Message}", fault);
            }
        }

        _parts.Clear();
    }

    /// <summary>Removes what was not kept.</summary>
    public void Dispose()
    {
        try
        {
            foreach (var part in _parts.Values)
            {
                File.Delete(part);
            }

            if (_isNew && !Directory.EnumerateFileSystemEntries(_folder).Any())
            {
                Directory.Delete(_folder);
            }
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            // What has gone wrong before says more.
        }
    }
}
