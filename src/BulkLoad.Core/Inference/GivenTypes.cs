using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Inference;

/// <summary>The types of <c>--type</c> as columns of one table. Pure.</summary>
/// <param name="types">judged by <see cref="LoadRequest.Validate"/></param>
/// <param name="dialect">of the server</param>
/// <param name="charset">of text that names none: the table's</param>
/// <param name="collation">the same; null: the character set's own</param>
internal sealed class GivenTypes(IReadOnlyList<ColumnType> types, SqlDialect dialect, string? charset = null, string? collation = null)
{
    private readonly SchemaTable _table = new(null, "", "") { Charset = charset, Collation = collation };

    /// <summary>The type that a column is given; null: none.</summary>
    /// <param name="column">the name, which the column then has</param>
    /// <exception cref="PlanException">a type that this server does not have</exception>
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

    /// <summary>Sees to it that every type is that of a column.</summary>
    /// <param name="columns">names of those that are</param>
    /// <param name="of">what has them, such as <c>the new table</c></param>
    /// <exception cref="RequestException">one is not</exception>
    public void Require(IReadOnlyCollection<string> columns, string of)
    {
        if (types.FirstOrDefault(type => !columns.Contains(type.Column, StringComparer.OrdinalIgnoreCase)) is { } unknown)
        {
            throw new RequestException(
                $"--type {unknown.Column}: {of} has no column of that name{Names.DidYouMean(unknown.Column, columns)} "
                + $"(it has {string.Join(", ", columns)})");
        }
    }

    /// <summary>Whether a column is what its type says, as far as that decides which values it takes.</summary>
    public static bool IsSame(TableColumn one, TableColumn other) =>
        (one.Kind, one.IntegerBytes, one.IsBoolean, one.IsUnsigned, one.MaxCharacters, one.MaxBytes, one.VectorSize)
        == (other.Kind, other.IntegerBytes, other.IsBoolean, other.IsUnsigned, other.MaxCharacters, other.MaxBytes, other.VectorSize)
        && (one.IntegerBytes > 0 || (one.Precision, one.Scale) == (other.Precision, other.Scale))
        && one.Labels.SequenceEqual(other.Labels, StringComparer.Ordinal);
}
