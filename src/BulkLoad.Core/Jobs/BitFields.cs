using BulkLoad.Core.Feed;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.Core.Values.Notations;

namespace BulkLoad.Core.Jobs;

/// <summary>Decides by the first records whether fields of BIT columns are bytes or numbers, where no option says it.</summary>
internal static class BitFields
{
    /// <exception cref="MappingException">a server writes bytes, and all of them are digits</exception>
    public static IReadOnlyList<BinaryColumn> Find(SourceInfo look, ColumnMapping mapping, LoadRequest request)
    {
        List<BinaryColumn> found = [];
        List<(string Column, string Reason)> unclear = [];
        for (var i = 0; i < mapping.Columns.Count; i++)
        {
            var column = mapping.Columns[i];
            if (column.Kind != ColumnKind.Bit || IsSaid(column, request.Values))
            {
                continue;
            }

            var fields = look.Fields.ElementAtOrDefault(mapping.FieldOf[i]);
            var isServersText = look.Format == InputFormat.Mysql;
            if (isServersText
                ? fields is { Controls: > 0 } or { Words: > 0 } && !(column.IsBoolean && fields.Controls == 0)
                : look.Format.IsCsv() && fields is { Controls: > 0 })
            {
                found.Add(new BinaryColumn(column.Name, BinaryForm.Raw));
            }
            else if (isServersText && fields is { Numbers: > 0, Words: 0 })
            {
                unclear.Add((column.Name, "all its fields are digits"));
            }
            else if (isServersText && fields is not { Words: > 0 } && !look.HasWholeSample)
            {
                unclear.Add((column.Name, "the first records have no value of it"));
            }
        }

        return unclear.Count > 0 ? throw Unclear(look, unclear) : found.Count > 0 ? found : Array.Empty<BinaryColumn>();
    }

    private static bool IsSaid(TableColumn column, ValueOptions values) =>
        values.BinaryColumns.Any(own => own.Column.Equals(column.Name, StringComparison.OrdinalIgnoreCase))
        || new NotationSet(values.Formats).For(column) is not null;

    private static MappingException Unclear(SourceInfo look, List<(string Column, string Reason)> unclear)
    {
        var (column, reason) = unclear[0];
        return new MappingException(
            $"{look.Name}: are the fields of the BIT column '{column}' numbers or bytes? A server writes its bytes, and {reason}")
        {
            WaysOn = [Way("if they are numbers", "number"), Way("if they are bytes, as a server writes them", "raw")],
        };

        WayOn Way(string purpose, string form) =>
            new(purpose) { Words = [.. unclear.SelectMany(one => new[] { "--binary", $"{one.Column}={form}" })] };
    }

    /// <summary>Whether the bytes of the column's fields are its values.</summary>
    public static bool IsRaw(SourceInfo look, TableColumn column, LoadRequest request) =>
        column is { IsBinary: true, VectorSize: 0 } && request.Values.In(look.Format).BinaryOf(column.Name) == BinaryForm.Raw;

    /// <summary>Decoding has changed all bytes that are not UTF-8.</summary>
    public static void RequireOwnBytes(LoadSource source, LoadRequest request)
    {
        var look = source.Look;
        var values = source.ValuesIn(request.Values);
        if (!look.EncodingName.Equals("utf-8", StringComparison.OrdinalIgnoreCase)
            && source.Mapping.Columns.FirstOrDefault(
                column => IsRaw(look, column, request) || (column.Kind == ColumnKind.Bit && values.HasRawBits(column.Name))) is { } column)
        {
            throw new MappingException(
                $"{look.Name}: is {look.EncodingName}, and column '{column.Name}' cannot be read as raw bytes: write its values as "
                    + "hexadecimal digits or base64, and use --binary hex or --binary base64");
        }
    }
}
