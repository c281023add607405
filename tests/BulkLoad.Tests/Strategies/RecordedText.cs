using BulkLoad.Core.Protocol;

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

    public static (ulong Rows, string Shown) Show(ReadOnlyMemory<byte> content)
    {
        var lines = Encoding.UTF8.GetString(content.Span).Split('\u001e');
        return ((ulong)lines.Length - 1, string.Concat(lines.SkipLast(1).Select(line =>
            $"\n    {line.Replace("\u001f", "<end>", StringComparison.Ordinal).Replace("\u001b", "<escape>", StringComparison.Ordinal)}")));
    }

    public static string Describe(string verb, LocalLoad load) =>
        $"{(load.Prologue is null ? "" : $"{verb} {load.Prologue}\n")}{verb} {Anonymous(load.Statement)}\n";

    public static string Describe(OkResult answer) =>
        $"ok{(answer.AffectedRows > 0 ? $", {answer.AffectedRows} rows" : "")}"
            + $"{(answer.Warnings > 0 ? $", {answer.Warnings} warnings" : "")}";
}
