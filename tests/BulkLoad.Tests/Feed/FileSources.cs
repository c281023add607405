using BulkLoad.Core.Feed;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Mapping;

namespace BulkLoad.Tests.Feed;

/// <summary>Files as a job reads them.</summary>
internal static class FileSources
{
    /// <returns>null: the file cannot be read with these options, or does not fit the table</returns>
    public static LoadSource? Find(string path, TableFacts table, LoadRequest request)
    {
        try
        {
            using var input = InputFile.Open(path, request.Source);
            var look = SourceProbe.Look(input, request.Source);
            return new LoadSource(
                look, ColumnMapping.Create(Path.GetFileName(path), look.FieldNames, look.FieldCount, table, request, hint: null),
                Opened: null);
        }
        catch (BulkLoadException)
        {
            return null;
        }
    }
}
