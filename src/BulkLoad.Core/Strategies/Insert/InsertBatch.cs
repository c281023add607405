using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Insert;

/// <summary>Rows of one INSERT.</summary>
internal abstract class InsertBatch : EncodedBatch
{
    /// <summary>Whether the server makes an id for each of the rows.</summary>
    public bool HasOwnIds { get; set; }
}

/// <summary>Rows as the text of one INSERT statement.</summary>
internal sealed class LiteralRows(InsertForm form, IReadOnlyList<TableColumn> columns) : InsertBatch
{
    private readonly byte[] _head = Encoding.UTF8.GetBytes(form.Head);
    private readonly LiteralForm[] _forms = [.. columns.Select(column => new LiteralForm(column))];
    private readonly ArrayBufferWriter<byte> _text = new();
    private int _rowsEnd;

    public ReadOnlyMemory<byte> Statement => _text.WrittenMemory;

    /// <param name="hasOwnIds">whether the server makes an id for each of them</param>
    public void Fill(RowBlock block, int from, int rows, bool hasOwnIds)
    {
        _text.ResetWrittenCount();
        _text.Write(_head);
        InsertSql.WriteRows(_text, _forms, block, from, rows, form.Tail);
        _rowsEnd = _text.WrittenCount;
        Encoding.UTF8.GetBytes(hasOwnIds ? form.OwnIdEnding : form.Ending, _text);
        HasOwnIds = hasOwnIds;
        RowCount = rows;
    }

    /// <summary>The same rows by REPLACE; of use for few.</summary>
    public ReadOnlyMemory<byte> ToReplace() =>
        (byte[])[.. Encoding.UTF8.GetBytes(form.ReplaceHead), .. _text.WrittenSpan[_head.Length.._rowsEnd]];
}

/// <summary>Rows as the parameters of one execution of a prepared INSERT.</summary>
internal abstract class PreparedRows : InsertBatch
{
    /// <summary>Of all the rows.</summary>
    public abstract BinaryParameters Parameters { get; }

    /// <summary>Rows that the statement has placeholders for.</summary>
    public abstract int StatementRows { get; }

    public abstract void Fill(RowBlock block, int from, int rows);
}

/// <summary>Rows with placeholders of their own.</summary>
/// <param name="mostRows">it holds no more</param>
internal sealed class BinaryRows(RowEncoder encoder, int mostRows) : PreparedRows
{
    private readonly int _columns = encoder.Types(1).Length;

    public override BinaryParameters Parameters { get; } = new(encoder.Types(mostRows));

    public override int StatementRows => RowCount;

    public override void Fill(RowBlock block, int from, int rows)
    {
        Parameters.Reset(rows * _columns);
        RowCount = rows;
        for (var row = from; row < from + rows; row++)
        {
            encoder.Add(block, row, Parameters);
        }
    }
}

/// <summary>Any number of rows for the placeholders of one.</summary>
internal sealed class BulkRows(RowEncoder encoder) : PreparedRows
{
    private readonly BulkParameters _parameters = new(encoder.Types(1));

    public override BinaryParameters Parameters => _parameters;

    public override int StatementRows => 1;

    public override void Fill(RowBlock block, int from, int rows)
    {
        _parameters.Reset();
        RowCount = rows;
        for (var row = from; row < from + rows; row++)
        {
            if (block.HasDefaults)
            {
                encoder.AddWithDefaults(block, row, _parameters);
            }
            else
            {
                encoder.Add(block, row, _parameters);
            }
        }
    }
}

/// <summary>Rows of several INSERTs of one size, which go out one behind the other, behind one savepoint that undoes them all.</summary>
internal sealed class PipelinedRows : InsertBatch
{
    /// <summary>The savepoint, then the INSERTs.</summary>
    public Pipeline Pipeline { get; } = new();

    /// <summary>Rows of each INSERT.</summary>
    public int StatementRows { get; private set; }

    /// <param name="hasOwnIds">whether the server makes an id for each of them</param>
    public void Clear(int statementRows, bool hasOwnIds)
    {
        Pipeline.Clear();
        Pipeline.Add(TransactionSql.SavepointBytes(0));
        (StatementRows, HasOwnIds, RowCount) = (statementRows, hasOwnIds, 0);
    }

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
