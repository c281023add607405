using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Inference;

/// <summary>A table that does not exist yet. Skipped records could not be read, and will be refused.</summary>
internal sealed record TableDesign(IReadOnlyList<InferredColumn> Columns, IReadOnlyList<string> PrimaryKey, long Records, long Skipped)
{
    /// <summary>Columns of unique whole numbers.</summary>
    public IReadOnlyList<string> UniqueColumns { get; init; } = [];

    /// <summary>Limit of InnoDB (MySQL manual, "InnoDB Limits").</summary>
    private const int MaxKeyBytes = 3072;
    private const int BytesPerCharacter = 4;

    /// <summary>Applies the key, and makes the columns fit into a row. Throws if they cannot be the key.</summary>
    public static TableDesign Create(IReadOnlyList<InferredColumn> columns, IReadOnlyList<string> primaryKey, long records, long passedOver)
    {
        var key = primaryKey.Select(name => FindKeyColumn(columns, name)).ToArray();
        var keyed = columns.Select(column => key.Contains(column) ? AsKey(column) : column).ToArray();
        var names = key.Select(column => column.Column.Name).ToArray();
        var bytes = keyed.Where(column => names.Contains(column.Column.Name)).Sum(KeyBytes);
        if (bytes > MaxKeyBytes)
        {
            throw new PlanException(
                $"--primary-key {string.Join(',', names)}: takes up to {bytes:N0} bytes, and a key can have {MaxKeyBytes:N0}");
        }

        return new TableDesign(RowSize.Fit(keyed, names), names, records, passedOver);
    }

    /// <summary>The table, roughly as the catalogue will describe it.</summary>
    public TableFacts ToFacts(string database, string name) => new()
    {
        Database = database,
        Name = name,
        Engine = "the server's default",
        IsTransactional = true,
        Columns = [.. Columns.Select(column => column.Column)],
        InsertTriggers = [],
        UniqueKeys = PrimaryKey.Count > 0 ? [new UniqueKey(UniqueKey.Primary, [.. PrimaryKey.Select(column => new KeyPart(column))])] : [],
    };

    public PlannedTable Describe(string database, string name) => new(
        CreateTableSql.Create(database, name, [.. Columns.Select(column => column.ToNew())], PrimaryKey),
        Records, Skipped, [.. Columns.Select(column => column.Describe())])
    {
        UniqueColumns = PrimaryKey.Count == 0 ? UniqueColumns : [],
        HasKey = PrimaryKey.Count > 0,
        Definitions = [.. Columns.Select(column => column.Define())],
        Given = [.. Columns.Where(column => column.Given is not null).Select(column => column.Define())],
    };

    private static InferredColumn FindKeyColumn(IReadOnlyList<InferredColumn> columns, string name)
    {
        var column = columns.FirstOrDefault(column => column.Column.Name.Equals(name, StringComparison.OrdinalIgnoreCase))
            ?? throw new PlanException(
                $"--primary-key {name}: the new table has no column of that " +
                $"name{Names.DidYouMean(name, columns.Select(column => column.Column.Name))} (it has " +
                $"{string.Join(", ", columns.Select(column => column.Column.Name))})");
        var refusal = column.Column switch
        {
            { IsNullable: true } when column.Given is { SaysNull: true } => "--type says NULL, and a key must have a value in every record",
            { IsNullable: true } => "its column must have a value in every record",
            { Kind: ColumnKind.Json } => "a JSON column cannot be a key",
            { IsCharacter: true } when column.Characters > MaxKeyBytes / BytesPerCharacter =>
                $"text of more than {MaxKeyBytes / BytesPerCharacter} characters cannot be a key",
            _ => null,
        };
        return refusal is null ? column : throw new PlanException(
            $"--primary-key {name}: {refusal} ({column.Column.TypeText}: {column.Reason})");
    }

    /// <summary>Of text without its length prefix. 0: the type is given, and the server checks it.</summary>
    private static int KeyBytes(InferredColumn column) => column.Given is not null ? 0
        : column.Column.IsCharacter ? (int)column.Column.MaxCharacters * BytesPerCharacter : RowSize.BytesOf(column.Column);

    /// <summary>Rounding must not make text too long for a key.</summary>
    private static InferredColumn AsKey(InferredColumn column) => KeyBytes(column) <= MaxKeyBytes || !column.Column.IsCharacter
        ? column
        : column with
        {
            Column = ColumnTypes.Varchar((int)column.Characters)
            with
            { Name = column.Column.Name, IsNullable = false, Default = ColumnDefault.None }
        };
}

/// <summary>A row has at most 65,535 bytes; TEXT and JSON count with a pointer only (MySQL manual, "Limits on Table Column Count and Row
/// Size"; "Data Type Storage Requirements").</summary>
internal static class RowSize
{
    private const int MaxBytes = 65_535;
    private const int BytesPerCharacter = 4;

    /// <summary>Turns the longest VARCHAR columns to TEXT until a row fits, but not those of the key.</summary>
    public static IReadOnlyList<InferredColumn> Fit(IReadOnlyList<InferredColumn> columns, IReadOnlyList<string> key)
    {
        var fitted = columns.ToArray();
        var bytes = fitted.Sum(column => BytesOf(column.Column)) + ((columns.Count + 7) / 8);
        while (bytes > MaxBytes)
        {
            var longest = fitted
                .Where(column => column is { Given: null, Column.Kind: ColumnKind.Varchar }
                    && BytesOf(column.Column) > ColumnBehaviour.PointerBytes && !key.Contains(column.Column.Name))
                .MaxBy(column => column.Column.MaxCharacters);
            if (longest is null)
            {
                break;
            }

            var text = ColumnTypes.LongText(longest.Column.MaxCharacters * BytesPerCharacter);
            bytes += BytesOf(text) - BytesOf(longest.Column);
            fitted[Array.IndexOf(fitted, longest)] = longest with
            {
                Column = longest.Column with { TypeText = text.TypeText, Kind = text.Kind, MaxBytes = text.MaxBytes, MaxCharacters = 0 },
                Reason = $"{longest.Reason}; {longest.Column.TypeText} would make the row too large",
            };
        }

        return fitted;
    }

    /// <summary>Greatest size in a row or a key.</summary>
    public static int BytesOf(TableColumn column) => column.Behaviour.RowBytes(column);
}

/// <summary>Columns of the input that a table does not have. Skipped records could not be read, and will be refused.</summary>
internal sealed record TableAddition(IReadOnlyList<InferredColumn> Columns, long Records, long Skipped)
{
    private const string Utf8 = "utf8mb4";

    /// <summary>Makes the column one that existing rows can do without.</summary>
    public static InferredColumn Loosen(InferredColumn column, string? tableCharset)
    {
        if (column.Given is { SaysNull: true, IsNullable: false })
        {
            return column;
        }

        var charset = column is { Given: null, Column.IsCharacter: true } && tableCharset is not null && tableCharset != Utf8 ? Utf8 : null;
        var value = column.Column.Default == ColumnDefault.None ? ColumnDefault.Null : column.Column.Default;
        var nullable = column.Column with { IsNullable = true, Default = value };
        return column with { Column = nullable, Charset = charset };
    }

    /// <returns>why columns cannot be added, and what to do; null: they can</returns>
    public static string? FindObstacle(TableFacts table)
    {
        var reason = table.IsVersioned ? "keeps its history (WITH SYSTEM VERSIONING), of which ALTER TABLE would change the past"
            : !table.IsTransactional ? $"has no transactions (engine {table.Engine}), so nobody could say whether its new columns are used"
            : null;
        return reason is null ? null
            : $"--add-columns: {table.DisplayName} {reason}: add the columns with ALTER TABLE, and leave out --add-columns";
    }

    public TableFacts AddTo(TableFacts table) => table with
    {
        Columns = [.. table.Columns, .. Columns.Select(column => column.Column)],
        NewColumns = Columns.Count,
    };

    public PlannedAddition Describe(TableFacts table) => new(
        AddColumnsSql.Add(table.Database, table.Name, Columns.Select(column => column.ToNew())),
        Records, Skipped, [.. Columns.Select(column => column.Describe())])
    {
        Definitions = [.. Columns.Select(column => column.Define())],
        Defaulted = [.. Columns.Where(column => column.Given?.Default is not null).Select(column => column.Column.Name)],
    };
}

/// <summary>Fields without a column in the table. Pure.</summary>
internal static class UnknownFields
{
    /// <summary>Whether fields may become columns. False if no field has a column (the first line is no header, or the file is another
    /// table's), if a name differs only by blanks from a column's, or if fields have no names.</summary>
    public static bool MayBeColumns(SourceInfo look, LoadRequest request, TableFacts table)
    {
        var isJson = look.Format.IsJson();
        if (look.IsEmpty || (!isJson && look.FieldNames is null && request.Columns is not { Count: > 0 }))
        {
            return false;
        }

        var fields = new FieldColumns(look, request);
        fields.Extend(look.FieldNames, look.FieldNames?.Count ?? look.FieldCount);
        string[] targets = [.. fields.Targets.OfType<string>()];
        return targets.Any(name => table.Find(name) is not null)
            && (isJson || targets.Any(name => table.Find(name) is null))
            && targets.All(name => table.Find(name) is not null || table.Find(name.Trim()) is null);
    }
}

/// <summary>The types of <c>--type</c>. Text without a character set gets the table's. Pure.</summary>
internal sealed class GivenTypes(IReadOnlyList<ColumnType> types, SqlDialect dialect, string? charset = null, string? collation = null)
{
    private readonly SchemaTable _table = new(null, "", "") { Charset = charset, Collation = collation };

    /// <summary>Throws if the server does not have the type; null: none is given for the column.</summary>
    public (SchemaColumn Given, TableColumn Column)? Find(string column)
    {
        if (types.FirstOrDefault(type => type.Column.Equals(column, StringComparison.OrdinalIgnoreCase)) is not { } type)
        {
            return null;
        }

        var given = type.Read() with { Name = column };
        if (dialect == SqlDialect.MySql && given.Type is "uuid" or "inet4" or "inet6")
        {
            var other = given.Type == "uuid" ? "CHAR(36) or BINARY(16)" : "VARBINARY(16) or VARCHAR(45)";
            throw new PlanException($"--type {column}: MySQL has no type {given.Type.ToUpperInvariant()}: {other} holds such values");
        }

        return (given, CatalogRow.ToColumn(given, _table, dialect));
    }

    /// <summary>Throws if a type is for no column of <paramref name="of"/>.</summary>
    public void Require(IReadOnlyCollection<string> columns, string of)
    {
        if (types.FirstOrDefault(type => !columns.Contains(type.Column, StringComparer.OrdinalIgnoreCase)) is { } unknown)
        {
            throw new RequestException(
                $"--type {unknown.Column}: {of} has no column of that name{Names.DidYouMean(unknown.Column, columns)} "
                + $"(it has {string.Join(", ", columns)})");
        }
    }

    /// <summary>Whether both take the same values.</summary>
    public static bool IsSame(TableColumn one, TableColumn other) =>
        (one.Kind, one.IntegerBytes, one.IsBoolean, one.IsUnsigned, one.MaxCharacters, one.MaxBytes, one.VectorSize)
        == (other.Kind, other.IntegerBytes, other.IsBoolean, other.IsUnsigned, other.MaxCharacters, other.MaxBytes, other.VectorSize)
        && (one.IntegerBytes > 0 || (one.Precision, one.Scale) == (other.Precision, other.Scale))
        && one.Labels.SequenceEqual(other.Labels, StringComparer.Ordinal);
}
