using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Inference;

/// <summary>The types of <c>--type</c>. Text without a character set has the table's. Pure.</summary>
internal sealed class GivenTypes(IReadOnlyList<ColumnType> types, SqlDialect dialect, string? charset = null, string? collation = null)
{
    private readonly SchemaTable _table = new(null, "", "") { Charset = charset, Collation = collation };

    /// <summary>The type for a column. Throws if the server does not have it.</summary>
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
