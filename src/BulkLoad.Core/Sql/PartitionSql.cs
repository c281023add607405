namespace BulkLoad.Core.Sql;

/// <summary>Conditions for the rows that a partitioned table takes. Pure.</summary>
internal static class PartitionSql
{
    private const string All = "MAXVALUE";

    /// <summary>A row a partition, in order: method, expression, description.</summary>
    public static string Partitions(string database, string table) =>
        "SELECT DISTINCT PARTITION_METHOD, PARTITION_EXPRESSION, PARTITION_DESCRIPTION, PARTITION_ORDINAL_POSITION "
        + $"FROM information_schema.PARTITIONS WHERE {CatalogSql.Is(database, table)} AND PARTITION_METHOD IS NOT NULL "
        + "ORDER BY PARTITION_ORDINAL_POSITION";

    /// <summary>A row a partition, or a subpartition where there are some, in order: name, method, expression, description, that of the
    /// partition before.</summary>
    public static string Named(string database, string table) =>
        "SELECT COALESCE(p.SUBPARTITION_NAME, p.PARTITION_NAME), p.PARTITION_METHOD, p.PARTITION_EXPRESSION, p.PARTITION_DESCRIPTION, "
        + "(SELECT MIN(b.PARTITION_DESCRIPTION) FROM information_schema.PARTITIONS b WHERE b.TABLE_SCHEMA = p.TABLE_SCHEMA "
        + "AND b.TABLE_NAME = p.TABLE_NAME AND b.PARTITION_ORDINAL_POSITION = p.PARTITION_ORDINAL_POSITION - 1) "
        + $"FROM information_schema.PARTITIONS p WHERE p.TABLE_SCHEMA = {SqlLiteral.Quote(database)} AND p.TABLE_NAME = "
        + $"{SqlLiteral.Quote(table)} AND p.PARTITION_NAME IS NOT NULL "
        + "ORDER BY p.PARTITION_ORDINAL_POSITION, p.SUBPARTITION_ORDINAL_POSITION";

    /// <summary>A condition for rows that do not belong to a partition; null: unknown.</summary>
    /// <param name="partition">a row of <see cref="Named"/></param>
    public static string? OthersThan(string?[] partition)
    {
        if (partition is not [_, { } method, { } expression, { } value, var before]
            || (method.EndsWith("COLUMNS", StringComparison.Ordinal) && SqlTokens.NamesIn(expression).Count() != 1))
        {
            return null;
        }

        if (IsList(method))
        {
            return value is "" or "DEFAULT" ? null : $"({InList(expression, [value])}) IS NOT TRUE";
        }

        var most = IsAll(value) ? "" : $"({expression}) < {value}";
        return !IsRange(method) ? null
            : before is null ? (most.Length == 0 ? "FALSE" : $"NOT ({most} OR ({expression}) IS NULL)")
            : $"(({expression}) >= {before}{(most.Length == 0 ? "" : $" AND {most}")}) IS NOT TRUE";
    }

    /// <param name="partitions">rows of <see cref="Partitions"/></param>
    /// <returns>the condition, empty: every row is taken; null: unknown</returns>
    public static string? Condition(IReadOnlyList<string?[]> partitions)
    {
        if (partitions is not [[{ } method, { } expression, ..], ..] || (!IsRange(method) && !IsList(method)))
        {
            return "";
        }

        var values = partitions.Select(row => row[2] ?? "").ToList();
        var isList = IsList(method);
        if (isList ? values.Exists(value => value is "" or "DEFAULT") : IsAll(values[^1]))
        {
            return "";
        }

        if (method.EndsWith("COLUMNS", StringComparison.Ordinal) && SqlTokens.NamesIn(expression).Count() != 1)
        {
            return null;
        }

        // NULL is below every value.
        return isList ? InList(expression, values) : $"({expression}) < {values[^1]} OR ({expression}) IS NULL";
    }

    private static string InList(string expression, IEnumerable<string> values)
    {
        var each = values.SelectMany(Split).ToList();
        var known = each.Where(value => value != "NULL").ToList();
        var inList = known.Count == 0 ? "" : $"({expression}) IN ({string.Join(',', known)})";
        return known.Count == each.Count ? $"{inList} AND ({expression}) IS NOT NULL"
            : $"{inList}{(inList.Length == 0 ? "" : " OR ")}({expression}) IS NULL";
    }

    /// <summary>Values between commas; a comma may be in a literal.</summary>
    private static IEnumerable<string> Split(string list)
    {
        var from = 0;
        foreach (var token in SqlTokens.Of(list))
        {
            if (token.Kind == SqlTokenKind.Sign && list[token.Start] == ',')
            {
                yield return list[from..token.Start].Trim();
                from = token.End;
            }
        }

        yield return list[from..].Trim();
    }

    private static bool IsAll(string value) => value.Split(',').All(part => part.Trim() == All);

    private static bool IsRange(string method) => method.StartsWith("RANGE", StringComparison.Ordinal);

    private static bool IsList(string method) => method.StartsWith("LIST", StringComparison.Ordinal);
}
