namespace BulkLoad.Tests.Common;

public sealed class FileFaultTests
{
    [Fact]
    public void The_path_is_not_said_again()
    {
        var folder = Directory.CreateTempSubdirectory().FullName;
        try
        {
            Assert.Equal("it is a folder", Reason(folder));
            Assert.Equal("there is no such folder", Reason(Path.Combine(folder, "none", "a.csv")));
            Assert.Equal("no such file", Reason(Path.Combine(folder, "a.csv")));
            Assert.Equal("No space left on device", FileFault.Describe(new IOException("No space left on device : '/mnt/a.csv'"), "a.csv"));
            Assert.Equal("a lease has ended", FileFault.Describe(new IOException("a lease has ended"), "a.csv"));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static string Reason(string path) =>
        FileFault.Describe(Record.Exception(() => new FileStream(path, FileMode.Open, FileAccess.ReadWrite).Dispose())!, path);
}
