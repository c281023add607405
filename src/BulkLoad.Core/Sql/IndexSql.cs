namespace BulkLoad.Core.Sql;

/// <summary>
/// Questions about a table's indexes, and how they are dropped and added (MySQL manual, "ALTER TABLE Statement"), which commits what is
/// open in the session. Column order of the questions is part of their contract with the reader in Probing.
/// </summary>
/// <param name="database">the table's</param>
internal sealed class IndexSql(string database, string table)
{
    /// <summary>So that <see cref="Definition"/> has every name in backticks.</summary>
    public const string QuoteNames = "SET SESSION sql_quote_show_create=1";

    private readonly string _name = SqlName.Quote(database, table);

    /// <summary>One row: the table's name, and the statement that would make it.</summary>
    public string Definition => $"SHOW CREATE TABLE {_name}";

    /// <summary>A row a column of an index, in its order: the index's name, the column's or NULL for an expression.</summary>
    public string Columns =>
        "SELECT INDEX_NAME, COLUMN_NAME FROM information_schema.STATISTICS "
        + $"WHERE TABLE_SCHEMA = {SqlLiteral.Quote(database)} AND TABLE_NAME = {SqlLiteral.Quote(table)} ORDER BY INDEX_NAME, SEQ_IN_INDEX";

    /// <summary>A row a column that foreign keys point to.</summary>
    public string ReferredColumns =>
        "SELECT DISTINCT REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE "
        + $"WHERE REFERENCED_TABLE_SCHEMA = {SqlLiteral.Quote(database)} AND REFERENCED_TABLE_NAME = {SqlLiteral.Quote(table)}";

    /// <summary>One row: how many rows the table has, about; NULL where the server does not say.</summary>
    public string Rows =>
        $"SELECT TABLE_ROWS FROM information_schema.TABLES WHERE TABLE_SCHEMA = {SqlLiteral.Quote(database)} AND TABLE_NAME = "
            + $"{SqlLiteral.Quote(table)}";

    /// <param name="tag">from <see cref="JobTag.Of"/>; empty: none</param>
    public string Drop(IEnumerable<string> names, string tag) => Alter(names.Select(name => $"DROP INDEX {SqlName.Quote(name)}"), tag);

    /// <param name="definitions">as <see cref="Definition"/> had them</param>
    /// <param name="tag">from <see cref="JobTag.Of"/>; empty: none</param>
    public string Add(IEnumerable<string> definitions, string tag) => Alter(definitions.Select(definition => $"ADD {definition}"), tag);

    private string Alter(IEnumerable<string> changes, string tag) => JobTag.Into($"ALTER TABLE {_name} {string.Join(", ", changes)}", tag);
}
