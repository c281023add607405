using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Options;
using BulkLoad.Core.Values;

namespace BulkLoad.Core.Feed;

/// <summary>Whether each field that <c>--map</c> names came in some record of the job. A header says so at once, JSON lines only at their
/// end.</summary>
internal sealed class MappedFields(IReadOnlyList<LoadSource> sources, LoadRequest request)
{
    private readonly HashSet<string> _awaited = Await(sources, request);
    private long _records;

    /// <summary>Takes in an input that was read to its end.</summary>
    /// <exception cref="MappingException">it was the last one, and there were records, but none with such a field: nothing more may be
    /// committed</exception>
    public void EndSource(int source, IRecordReader reader)
    {
        _records += reader.RecordNumber;
        foreach (var (key, field) in sources[source].Mapping.Mapped)
        {
            if (_awaited.Contains(key) && reader.HasCome(field))
            {
                _awaited.Remove(key);
            }
        }

        if (source == sources.Count - 1 && _records > 0 && _awaited.FirstOrDefault() is { } missing)
        {
            var inputs = sources.Count == 1 ? sources[0].Look.Name : "the inputs";
            throw ColumnMapping.MissingField(missing, request.Map.First(pair => pair.Key == missing).Value, $"record of {inputs}");
        }
    }

    private static HashSet<string> Await(IReadOnlyList<LoadSource> sources, LoadRequest request) =>
        sources.Any(source => source.Look.Format == InputFormat.Jsonl)
        ? [.. request.Map.Select(pair => pair.Key).Where(key => !FieldMap.IsOptional(key))]
        : [];
}
