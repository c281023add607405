namespace BulkLoad.IntegrationTests.Differential;

/// <summary>
/// A column's type with its values. What must become of a value is known because the value came first and its spelling after it: the
/// rules of the library are not asked.
/// </summary>
/// <param name="Ddl">in CREATE TABLE</param>
/// <param name="Good">a field that the column holds exactly</param>
/// <param name="Bad">a field that it does not, by its rule or by the server</param>
internal sealed record ColumnType(string Ddl, Draw Good, Draw? Bad = null)
{
    /// <summary>A field that is finer than the column, and what it is rounded to.</summary>
    public Draw? Finer { get; init; }

    /// <summary>An expression of the column (<c>{0}</c>) that shows its value as text.</summary>
    public string Read { get; init; } = "{0}";

    /// <summary>Whether the client shows the value as it is: MySQL cuts a DOUBLE that it converts to text.</summary>
    public bool IsPlain { get; init; }

    /// <summary>What is the same value is the same text.</summary>
    public Func<string, string> Normalize { get; init; } = text => text;

    /// <summary>The only server that has the type; null: both.</summary>
    public string? Server { get; init; }

    /// <summary>CHAR, VARCHAR, TEXT: an empty field is the empty string where NULL is not allowed.</summary>
    public bool IsCharacter { get; init; }

    /// <summary>Whether CREATE TABLE takes a DEFAULT that is a literal.</summary>
    public bool CanHaveDefault { get; init; } = true;

    /// <summary>Whether a DEFAULT is worked out by the server, so that only a column that the file does not have at all can get
    /// it.</summary>
    public bool LeavesDefaultToServer { get; init; }

    /// <summary>Whether the column has to be able to hold NULL here.</summary>
    public bool IsNullableOnly { get; init; }

    /// <summary>A clause of CREATE TABLE about the column, or null.</summary>
    public string? Clause { get; init; }

    /// <summary>A trigger's body about the column, or null.</summary>
    public string? Trigger { get; init; }

    public override string ToString() => Ddl;
}
