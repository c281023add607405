namespace BulkLoad.Tests.Strategies;

/// <summary>What can be told of a statement by its text.</summary>
internal static class RecordedText
{
    /// <summary>The records of an UPDATE: those of its list, or one; null: it is none.</summary>
    public static int? FindUpdates(string statement)
    {
        if (!statement.StartsWith("UPDATE", StringComparison.Ordinal))
        {
            return null;
        }

        var list = statement.IndexOf(" UNION ALL VALUES ", StringComparison.Ordinal);
        return list < 0 ? 1 : statement[list..statement.IndexOf(") bulkload_list", StringComparison.Ordinal)].Split("),").Length;
    }

    /// <summary>Without the random name.</summary>
    public static string Anonymous(string statement)
    {
        var start = statement.IndexOf("bulkload-", StringComparison.Ordinal);
        return start < 0 ? statement : $"{statement[..start]}<name>{statement[statement.IndexOf('\'', start)..]}";
    }
}
