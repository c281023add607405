using BulkLoad.Core.Feed;
using BulkLoad.Core.Inference;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Suggesting;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.Core.Values.Rules;

namespace BulkLoad.Core.Jobs;

/// <summary>Reads all records once, and gives each field to the study of its column.</summary>
internal sealed class Survey(LoadRequest request, ValueZone zone)
{
    private readonly List<FieldStudy> _columns = [];
    private readonly Dictionary<string, FieldStudy> _byName = new(StringComparer.OrdinalIgnoreCase);

    public PassProgress? Progress { get; init; }

    public IReadOnlyList<FieldStudy> Columns => _columns;

    public long Records { get; private set; }

    public long Faulty { get; private set; }

    public Dictionary<string, long> Codes { get; } = new(StringComparer.Ordinal);

    public (string Place, string Message)? First { get; private set; }

    /// <param name="table">null: there is none yet</param>
    /// <exception cref="MappingException">the fields do not fit the table, or cannot be columns</exception>
    public void Read(SourceSet sources, TableFacts? table, CancellationToken cancellationToken)
    {
        if (table is not null)
        {
            sources.MapTo(table, key: null);
            foreach (var source in sources.Mapped)
            {
                Read(source, only: null, long.MaxValue, cancellationToken);
            }

            return;
        }

        foreach (var (look, input) in sources.OpenAll(cancellationToken))
        {
            using var _ = input;
            var isJson = look.Format.IsJson();
            var settled = isJson ? look with { FieldNames = JsonFields.NamedIn(request), Paths = JsonFields.PathsOf([], request) } : look;
            using var reader = settled.CreateReader(input, request.Source);
            var targets = new FieldColumns(look, request);
            List<(int Field, FieldStudy? Study)> fields = [];
            Extend(isJson ? reader.FieldNames!.Count : look.FieldCount);
            Read(input, reader, look.Format, fields, Extend, long.MaxValue, cancellationToken);

            void Extend(int count)
            {
                targets.Extend(reader.FieldNames, count);
                fields.AddRange(targets.Targets.Skip(fields.Count).Select(
                    (target, i) => (fields.Count + i, target is null ? null : StudyOf(target, null, look.Format))).ToList());
            }
        }
    }

    /// <param name="source">mapped; can be read again</param>
    /// <param name="only">the column that is studied; null: all</param>
    /// <param name="max">limit of records</param>
    public void Read(LoadSource source, string? only, long max, CancellationToken cancellationToken)
    {
        using var input = source.Open(request.Source, cancellationToken);
        using var reader = source.CreateReader(input, request.Source);
        var mapping = source.Mapping;
        var fields = mapping.Columns.Select((column, i) => (mapping.FieldOf[i],
            (FieldStudy?)(only is null || column.Name == only ? StudyOf(column.Name, column, source.Look.Format) : null)));
        Read(input, reader, source.Look.Format, [.. fields], extend: null, max, cancellationToken);
    }

    /// <param name="extend">gets the number of fields if a record has more than the list, and adds keys; null: fields are fixed</param>
    private void Read(
        InputFile input, IRecordReader reader, InputFormat format, List<(int Field, FieldStudy? Study)> fields, Action<int>? extend,
        long max, CancellationToken cancellationToken)
    {
        var isJson = format.IsJson();
        while (Records < max && reader.Read())
        {
            if (Records % PassProgress.Records == 0)
            {
                Progress?.At(input.BytesRead);
                cancellationToken.ThrowIfCancellationRequested();
            }

            if (reader.Fault is { } fault)
            {
                Faulty++;
                Codes[fault.Code] = Codes.GetValueOrDefault(fault.Code) + 1;
                First ??= (reader.LineNumber > 0 ? $"line {reader.LineNumber:N0}"
                    : reader.PlaceOf(fault.Field) ?? $"record {reader.RecordNumber:N0}", fault.Message);
                continue;
            }

            if (isJson && extend is not null && reader.FieldCount > fields.Count)
            {
                extend(reader.FieldCount);
            }

            Records++;
            foreach (var (field, study) in fields)
            {
                if (study is not null)
                {
                    study.Add(reader.GetField(field, out var value), value, reader.RecordNumber, isJson);
                }
            }
        }

        Progress?.End(input.BytesRead);
    }

    private FieldStudy StudyOf(string name, TableColumn? column, InputFormat format)
    {
        if (!_byName.TryGetValue(name, out var study))
        {
            var values = request.Values.In(format);
            study = new FieldStudy(name, column, RuleOptions.Of(values, zone), values);
            _columns.Add(study);
            _byName.Add(name, study);
        }

        return study;
    }
}
