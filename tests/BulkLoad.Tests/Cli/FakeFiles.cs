using BulkLoad.Cli.Host;


namespace BulkLoad.Tests.Cli;

/// <summary>Files that exist only in a test, each private to its owner unless said otherwise.</summary>
internal sealed class FakeFiles : IFiles
{
    private const UnixFileMode Private = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private readonly Dictionary<string, (byte[] Content, UnixFileMode Mode)> _files = new(StringComparer.Ordinal);

    public FakeFiles With(string path, string content, UnixFileMode mode = Private) => With(path, Encoding.UTF8.GetBytes(content), mode);

    public FakeFiles With(string path, byte[] content, UnixFileMode mode = Private)
    {
        _files[path] = (content, mode);
        return this;
    }

    public bool Exists(string path) => _files.ContainsKey(path) || In(path).Count > 0;

    public byte[] Read(string path) => Find(path).Content;

    public byte[] ReadStart(string path, int most) => Read(path) is var content && content.Length > most ? content[..most] : content;

    public IReadOnlyList<string> In(string folder) => _files.ContainsKey(folder)
        ? throw new IOException("not a folder")
        : [.. _files.Keys.Where(path => path.StartsWith(folder + "/", StringComparison.Ordinal)).Order(StringComparer.Ordinal)];

    public UnixFileMode ModeOf(string path) => Find(path).Mode;

    private (byte[] Content, UnixFileMode Mode) Find(string path) =>
        _files.TryGetValue(path, out var file) ? file : throw new FileNotFoundException("no such file");
}
