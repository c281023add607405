using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>Statements by which a storage engine shows whether it gives values back as it got them: the same row goes into a temporary
/// table of that engine and into one of InnoDB. Their columns have the target's types, without its keys and checks.</summary>
internal sealed class EngineSql
{
    private const string Model = "InnoDB";

    private readonly TableFacts _table;
    private readonly string _names;

    public EngineSql(TableFacts table)
    {
        _table = table;
        Columns = [.. table.Columns.Where(column => !column.IsGenerated && SampleOf(column) is not null)];
        _names = SqlName.List(Columns.Select(column => column.Name));
    }

    /// <summary>Those that are tried.</summary>
    public IReadOnlyList<TableColumn> Columns { get; }

    public string CreateTried => Create(_table.Engine);

    public string CreateModel => Create(Model);

    /// <summary>For both kinds of table, one after the other. Values that a column cannot take are fitted into it.</summary>
    public string InsertNulls => Insert(_ => "NULL");

    public string InsertSamples => Insert(column => SampleOf(column)!);

    /// <summary>The bytes of each value, as hexadecimal digits.</summary>
    public string Select =>
        $"SELECT {string.Join(", ", Columns.Select(column => $"HEX(CAST({SqlName.Quote(column.Name)} AS BINARY))"))} FROM {Name}";

    public string Drop => $"DROP TEMPORARY TABLE IF EXISTS {Name}";

    private string Name => SqlName.Quote(_table.Database, "bulkload_engine");

    private string Create(string engine) =>
        $"CREATE TEMPORARY TABLE {Name} ENGINE={engine} SELECT {_names} FROM {_table.QuotedName} LIMIT 0";

    private string Insert(Func<TableColumn, string> value) =>
        $"INSERT IGNORE INTO {Name} ({_names}) VALUES ({string.Join(", ", Columns.Select(value))})";

    /// <summary>Null: the column is not tried.</summary>
    private static string? SampleOf(TableColumn column) => column.Kind switch
    {
        ColumnKind.Integer or ColumnKind.UnsignedInteger or ColumnKind.Decimal or ColumnKind.Float or ColumnKind.Double => "123456789.625",
        ColumnKind.Char or ColumnKind.Varchar or ColumnKind.Text => "'Az \u00e9\u20ac '",
        ColumnKind.Json => """'{"a": [1, "b"]}'""",
        ColumnKind.Date => "'2024-02-29'",
        ColumnKind.DateTime or ColumnKind.Timestamp => "'2024-02-29 12:34:56.987654'",
        ColumnKind.Time => "'-123:45:56.987654'",
        ColumnKind.Year => "2024",
        ColumnKind.Enum or ColumnKind.Set or ColumnKind.Bit => "1",
        ColumnKind.Binary => "X'00FF5C27'",
        ColumnKind.Blob when column.VectorSize == 0 => "X'00FF5C27'",
        ColumnKind.Uuid => "'123e4567-e89b-12d3-a456-426655440000'",
        ColumnKind.Inet4 => "'192.0.2.1'",
        ColumnKind.Inet6 => "'2001:db8::1'",
        _ => null,
    };
}
