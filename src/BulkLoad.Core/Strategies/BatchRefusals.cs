using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies.Insert;

namespace BulkLoad.Core.Strategies;

internal static class BatchRefusals
{
    /// <summary>Comes before the server's text if that was only a warning.</summary>
    public const string Warned = "the server would not have taken it as it is: ";

    public static BatchRefusal OfError(ServerException fault) =>
        new(fault.Code, $"the server refused it: {fault.Message}", RowNumberText.Find(fault.ServerText));

    /// <summary>Whether an error is about the rows that were sent, so that the transaction continues.</summary>
    public static bool AreAboutRows(ServerException fault) => fault.Kind is FaultKind.Data or FaultKind.Packet;

    public static BatchRefusal OfCounts(OkResult answer, long sent) =>
        new(
            0,
            $"the server counted {answer.AffectedRows} {Plural.For((long)answer.AffectedRows, "row")} and {answer.Warnings} "
            + $"{Plural.For(answer.Warnings, "warning")} where {sent} {Plural.For(sent, "row was", "rows were")} sent",
            null);

    /// <summary>Asks for the warnings; nothing may have been sent after the statement.</summary>
    /// <param name="answer">has a warning, or an impossible count</param>
    public static async ValueTask<BatchRefusal> AskAsync(
        IServerSession session, OkResult answer, long sent, CancellationToken cancellationToken) =>
        OfAnswer(answer.AffectedRows, sent, answer.Warnings == 0
            ? new TextResultSet([], [])
            : await session.QueryAsync(TransactionSql.FirstWarnings, cancellationToken));

    /// <param name="warnings">answer of SHOW WARNINGS: level, code, message</param>
    public static BatchRefusal OfAnswer(ulong taken, long sent, TextResultSet warnings)
    {
        if (warnings.Rows.Count == 0)
        {
            var counts = $"{taken} {Plural.For((long)taken, "row")} where {sent} {Plural.For(sent, "was", "were")} sent";
            return new BatchRefusal(0, $"the server counted {counts}, and did not say why", null) { Kind = RefusalKind.Miscount };
        }

        var telling = warnings.Rows.FirstOrDefault(row => !IsRemark(row[1])) ?? warnings.Rows[0];
        var (code, message) = (telling[1] ?? "0", telling[2] ?? "");
        return new BatchRefusal(
            int.Parse(code, CultureInfo.InvariantCulture),
            $"{Warned}{message} (warning {code})",
            RowNumberText.Find(message));
    }

    /// <summary>Such a packet is never sent: the server would close the session.</summary>
    public static BatchRefusal OfSize(long bytes, long max, string remedy, int? row) => new(
        0, $"takes {bytes:N0} bytes in a packet, and the server's max_allowed_packet is {max:N0} ({remedy})", row)
    { Kind = RefusalKind.TooLarge };

    /// <summary>The engine cannot roll back, and the server has not said which rows it took.</summary>
    public static ReconciliationException NotUndone(BatchRefusal refusal) =>
        new($"counts do not add up, and the table's engine cannot undo the statement: {refusal.Message}; without "
            + "transactions some of its rows may be in the table");

    /// <summary>A remark of MariaDB's JSON functions on a text comes before the fault of the CHECK that called them.</summary>
    private static bool IsRemark(string? code) =>
        int.TryParse(code, CultureInfo.InvariantCulture, out var number)
        && (ServerError)number is >= ServerError.JsonNotJsonCharacter and <= ServerError.JsonPathNoWildcard;
}

internal static class PipelineFaults
{
    /// <summary>Sends a pipeline and reads its answers; faults about rows stay in it.</summary>
    /// <exception cref="ServerException">the session is lost, or a fault is not about the rows</exception>
    public static async ValueTask RunAsync(IServerSession session, Pipeline pipeline, Action onSent, CancellationToken cancellationToken)
    {
        var underWay = session.RunAsync(pipeline, cancellationToken);
        onSent();
        await underWay;
        ThrowOthers(pipeline);
    }

    /// <summary>A fault about a row's values has undone only its own statement. Any other fault ends the chunk, wherever in the pipeline it
    /// is: a deadlock also undoes what was answered before it.</summary>
    /// <exception cref="ServerException">the first fault that is not about the rows</exception>
    public static void ThrowOthers(Pipeline pipeline)
    {
        foreach (var (_, error) in pipeline.Faults)
        {
            if (!BatchRefusals.AreAboutRows(error))
            {
                throw error;
            }
        }
    }
}
