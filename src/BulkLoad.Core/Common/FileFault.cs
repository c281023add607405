namespace BulkLoad.Core.Common;

internal static class FileFault
{
    /// <param name="fault">of the runtime, with the path</param>
    /// <param name="path">as typed, which the message around it names</param>
    /// <returns>the reason alone</returns>
    public static string Describe(Exception fault, string path)
    {
        var text = fault.Message;
        return fault switch
        {
            DirectoryNotFoundException => "there is no such folder",
            UnauthorizedAccessException when Directory.Exists(path) => "it is a folder",
            UnauthorizedAccessException => "this user may not",
            _ when text.EndsWith('\'') && text.LastIndexOf(" : '", StringComparison.Ordinal) is > 0 and var end => text[..end],
            FileNotFoundException => "no such file",
            _ => text,
        };
    }
}
