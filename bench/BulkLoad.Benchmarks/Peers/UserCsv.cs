using CsvHelper;

namespace BulkLoad.Benchmarks.Peers;

/// <summary>The files by CsvHelper.</summary>
internal static class UserCsv
{
    /// <summary>Stands before the header. A CsvDataReader gives NULL for every empty field, even one with quotes.</summary>
    public static CsvReader Open(string file, char separator) =>
        CsvReader.FromFile(file, new CsvReaderOptions { Separator = separator, Mode = CsvMode.Rfc4180, NullValues = [""] });

    /// <summary>The value of a parameter: NULL where there is nothing, not even quotes.</summary>
    public static object Value(CsvReader csv, int column) => csv.GetRawSpan(column).IsEmpty ? DBNull.Value : csv.GetString(column);
}
