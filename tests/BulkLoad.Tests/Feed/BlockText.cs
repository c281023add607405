using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Rows;

namespace BulkLoad.Tests.Feed;

/// <summary>All that reading gives, as text that can be compared.</summary>
internal static class BlockText
{
    public static async Task<string> ReadAsync(
        IReadOnlyList<LoadSource> sources, LoadFacts facts, BatchSizes sizes, PieceSizes pieces, SortPlan? sort = null)
    {
        var reading = new InputReader(sources, facts, sizes, known: null, sort) { Pieces = pieces };
        var text = new StringBuilder();
        try
        {
            await foreach (var block in reading.ReadAsync(CancellationToken.None))
            {
                Append(text, block);
                text.AppendLine(block.EndsJob ? $"{reading.Read.Bytes} bytes" : "");
            }
        }
        catch (BulkLoadException fault)
        {
            text.AppendLine($"{fault.GetType().Name}: {fault.Message}");
        }

        text.Append(string.Join(' ', sources.Select((_, i) => reading.Read.RecordsOf(i))));
        return text.ToString();
    }

    private static void Append(StringBuilder text, RowBlock block)
    {
        text.AppendLine($"block {block.Source} {block.RowCount} {block.ByteCount} {block.OriginalByteCount} {block.HasDefaults} "
            + $"{block.EndsChunk} {block.EndsSource} {block.EndsJob}");
        for (var row = 0; row < block.RowCount; row++)
        {
            text.Append($"{block.Record(row)} {block.Line(row)} {block.Offset(row)} {block.Origin(row)} ")
                .Append($"{Encoding.Latin1.GetString(block.Original(row))}: ");
            for (var column = 0; column < block.ColumnCount; column++)
            {
                text.Append($"{block.Get(row, column, out var value)} ").Append(Encoding.Latin1.GetString(value)).Append('|');
            }

            text.AppendLine();
        }

        text.AppendLine(Encoding.Latin1.GetString(block.TextOf(0, block.RowCount).Span));
        foreach (var issue in block.Rejects.Concat<RecordIssue>(block.Repairs))
        {
            text.Append($"{issue.GetType().Name} {issue.Place} {issue.Code} {issue.Describe()}: ")
                .AppendLine(Encoding.Latin1.GetString(issue.Text.Span));
        }
    }
}
