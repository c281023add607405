using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Insert;

/// <summary>Rows of several INSERTs of one size, which go out one behind the other, behind one savepoint that undoes them all.</summary>
internal sealed class PipelinedRows : InsertBatch
{
    /// <summary>The savepoint, then the INSERTs.</summary>
    public Pipeline Pipeline { get; } = new();

    /// <summary>Rows of each INSERT.</summary>
    public int StatementRows { get; private set; }

    /// <param name="statementRows">rows of each INSERT</param>
    /// <param name="hasOwnIds">whether the server makes an id for each of them</param>
    public void Clear(int statementRows, bool hasOwnIds)
    {
        Pipeline.Clear();
        Pipeline.Add(TransactionSql.SavepointBytes(0));
        (StatementRows, HasOwnIds, RowCount) = (statementRows, hasOwnIds, 0);
    }

    /// <param name="rows">copied</param>
    /// <param name="statement">of their kind; null where they are text</param>
    public void Add(InsertBatch rows, PreparedStatement? statement)
    {
        if (rows is LiteralRows literal)
        {
            Pipeline.Add(literal.Statement.Span);
        }
        else
        {
            Pipeline.Add(statement!, ((PreparedRows)rows).Parameters);
        }

        RowCount += rows.RowCount;
    }

    /// <summary>What became of them, from the answers.</summary>
    /// <param name="form">how the answers count</param>
    /// <exception cref="ServerException">a fault that is not about the rows</exception>
    public BatchOutcome Read(DuplicateForm form)
    {
        PipelineFaults.ThrowOthers(Pipeline);
        if (Pipeline.Faults.Count > 0 && Pipeline.Faults[0].Command == 0)
        {
            // Without its savepoint the batch cannot be undone alone.
            throw Pipeline.Faults[0].Error;
        }

        var taken = default(RowCounts);
        for (var command = 1; command < Pipeline.Count; command++)
        {
            if (Pipeline.Faults.Count > 0 && Pipeline.Faults[0].Command == command)
            {
                return Refuse(command, BatchRefusals.OfError(Pipeline.Faults[0].Error));
            }

            var answer = Pipeline.Answers[command];
            if (answer.Warnings > 0 || AnswerCounts.Read(form, answer, StatementRows) is not { } rows)
            {
                return Refuse(command, BatchRefusals.OfCounts(answer, StatementRows));
            }

            taken += rows;
        }

        return taken;
    }

    private BatchRefusal Refuse(int command, BatchRefusal refusal)
    {
        var from = (command - 1) * StatementRows;
        return refusal with { Row = from + refusal.Row, Among = (from, StatementRows) };
    }
}
