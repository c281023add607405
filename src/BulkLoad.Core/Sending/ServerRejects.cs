using System.Text.RegularExpressions;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Sending;

/// <summary>A row that only the server refused, as a reject.</summary>
internal static partial class ServerRejects
{
    public static Reject Of(IReadOnlyList<LoadSource> sources, RowBlock block, int row, BatchRefusal refusal) =>
        RejectedRow.At(sources, block, row, CodeOf(refusal.Code), RowNumber().Replace(refusal.Message, "")) with
        {
            Column = ColumnIn().Match(refusal.Message) is { Success: true } match ? match.Groups[1].Value : null,
            ServerCode = refusal.Code,
        };

    /// <summary>Error and warning numbers of both servers' error references.</summary>
    private static string CodeOf(int serverCode) => serverCode switch
    {
        1022 or 1062 or 1169 or 1586 => "duplicate-key",
        1216 or 1217 or 1451 or 1452 or 3008 or 6575 => "foreign-key",
        3819 or 4025 => "check-constraint",
        1048 or 1364 => "null-not-allowed",
        1644 => "trigger-signal",
        _ => "refused-by-server",
    };

    /// <summary>A row of the batch: of no use to a reader of the message, and sent alone it is always the first.</summary>
    [GeneratedRegex(@" at row \d+", RegexOptions.CultureInvariant)]
    private static partial Regex RowNumber();

    [GeneratedRegex("for column '([^']+)'", RegexOptions.CultureInvariant)]
    private static partial Regex ColumnIn();
}

/// <summary>A row that has been read and encoded, as a reject: where its record stands in the input, and its bytes there.</summary>
internal static class RejectedRow
{
    public static Reject At(IReadOnlyList<LoadSource> sources, RowBlock block, int row, string code, string message)
    {
        var origin = block.Origin(row);
        return new Reject
        {
            Source = sources[origin.Source].Look.Name,
            Record = origin.Record,
            Line = origin.Line,
            Offset = origin.Offset,
            SortedPlace = block.IsSorted ? (block.Record(row), block.Offset(row)) : null,
            Code = code,
            Message = message,
            Text = block.Original(row).ToArray(),
        };
    }
}
