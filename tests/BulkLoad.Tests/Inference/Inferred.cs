using BulkLoad.Core.Inference;
using BulkLoad.Core.Schema;

namespace BulkLoad.Tests.Inference;

/// <summary>Columns inferred from values.</summary>
internal static class Inferred
{
    public static readonly ValueZone Utc = new("UTC", TimeZoneInfo.Utc);

    /// <param name="values">one a record; null is NULL</param>
    public static InferredColumn Of(params string?[] values) => Of(Utc, false, values);

    /// <param name="zone">in which times are meant</param>
    /// <param name="takesZeroDates">whether a year, month or day of zero is a date</param>
    /// <param name="values">one a record; null is NULL</param>
    public static InferredColumn Of(ValueZone zone, bool takesZeroDates, params string?[] values)
    {
        var evidence = new ColumnEvidence(takesZeroDates);
        for (var i = 0; i < values.Length; i++)
        {
            if (values[i] is { } value)
            {
                var bytes = Encoding.UTF8.GetBytes(value);
                evidence.AddText(bytes, new Place(0, i + 1));
                evidence.AddScalar(
                    bytes, new Place(0, i + 1), value.StartsWith('{') || value.StartsWith('[') ? JsonKind.Literal : JsonKind.None);
            }
        }

        return new TypeChoice(values.Length, zone, ["people.csv"]).Choose("c", evidence);
    }

    /// <summary>As in CREATE TABLE.</summary>
    public static string TypeOf(params string?[] values) => Text(Of(values));

    public static string Text(InferredColumn column) => column.Column.TypeText + (column.Column.IsNullable ? "" : " not null");
}
