using BulkLoad.Core.Facts;
using BulkLoad.Core.Input;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Planning;

/// <summary>What is taken for granted of the fields' values, for people.</summary>
internal static class ValueNotes
{
    private const int MostNames = 10;

    public static IEnumerable<string> Of(LoadFacts facts)
    {
        var filled = facts.Fields.Where(field => field.Column is not null).Select(field => facts.Table.Find(field.Column!)).OfType<TableColumn>().Distinct().ToArray();
        if (facts.Request.Values.Binary is null && facts.Sources.Any(source => source.Format != MysqlFormat) && filled.Where(column => column.IsBinary).ToArray() is { Length: > 0 } binary)
        {
            yield return $"fields of {Names(binary)} are read as hexadecimal (--binary raw takes them as they are)";
        }

        if (facts.Server.Zone.Zone is null && filled.Where(column => column.Kind == ColumnKind.Timestamp).ToArray() is { Length: > 0 } timestamps)
        {
            yield return $"the server's time zone, {facts.Server.Zone.Name}, is not known here: times of {Names(timestamps)} in an hour that clocks repeat are kept as the server reads them (--time-zone names the zone)";
        }
    }

    private static string MysqlFormat { get; } = nameof(InputFormat.Mysql).ToLowerInvariant();

    private static string Names(TableColumn[] columns) =>
        string.Join(", ", columns.Take(MostNames).Select(column => column.Name)) + (columns.Length > MostNames ? $" and {columns.Length - MostNames} more" : "");
}
