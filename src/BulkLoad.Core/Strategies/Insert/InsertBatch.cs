using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Insert;

/// <summary>Rows of one INSERT, or of several of one size that are sent without a wait, after one savepoint that undoes all of them. The
/// rows are literal text, or parameters of a prepared statement that has placeholders for all rows of an INSERT, or for one, executed in
/// bulk.</summary>
/// <param name="maxRows">limit for an INSERT that is not executed in bulk</param>
internal sealed class InsertBatch(InsertForm form, IReadOnlyList<TableColumn> columns, RowEncoder encoder, int maxRows, bool isBulk)
    : EncodedBatch
{
    private readonly byte[] _head = Encoding.UTF8.GetBytes(form.Head);
    private readonly RowList _list = new([.. columns.Select(column => new LiteralForm(column))]);
    private readonly ArrayBufferWriter<byte> _text = new();
    private readonly int _placeholders = encoder.Types(1).Length;
    private int _rowsEnd;

    public bool IsLiteral { get; private set; }

    /// <summary>Whether the server generates the id of each row.</summary>
    public bool HasOwnIds { get; private set; }

    public int StatementRows { get; private set; }

    public int PlaceholderRows => isBulk ? 1 : StatementRows;

    /// <summary>The savepoint and the INSERTs if there are several; else empty.</summary>
    public Pipeline Pipeline { get; } = new();

    public ReadOnlyMemory<byte> Text => _text.WrittenMemory;

    public BinaryParameters Parameters { get; } =
        isBulk ? new BulkParameters(encoder.Types(1)) : new BinaryParameters(encoder.Types(maxRows));

    /// <summary>Packet of a single INSERT, with the command byte, and the letter that REPLACE has more than INSERT.</summary>
    public long PacketBytes => IsLiteral ? _text.WrittenCount + 2L : Parameters.PacketBytes;

    public void Begin(bool isLiteral, bool hasOwnIds)
    {
        Pipeline.Clear();
        (IsLiteral, HasOwnIds, RowCount) = (isLiteral, hasOwnIds, 0);
    }

    public void Fill(RowBlock block, int from, int rows)
    {
        (StatementRows, RowCount) = (rows, rows);
        if (IsLiteral)
        {
            _text.ResetWrittenCount();
            _text.Write(_head);
            _list.Write(_text, block, from, rows, form.Tail);
            _rowsEnd = _text.WrittenCount;
            Encoding.UTF8.GetBytes(HasOwnIds ? form.OwnIdEnding : form.Ending, _text);
            return;
        }

        if (isBulk)
        {
            Parameters.Reset();
        }
        else
        {
            Parameters.Reset(rows * _placeholders);
        }

        for (var row = from; row < from + rows; row++)
        {
            encoder.Add(block, row, Parameters);
        }
    }

    /// <summary>Adds one more INSERT.</summary>
    /// <param name="statement">null: the rows are literal text</param>
    public void Add(RowBlock block, int from, int rows, PreparedStatement? statement)
    {
        var before = RowCount;
        Fill(block, from, rows);
        RowCount += before;
        if (Pipeline.Count == 0)
        {
            Pipeline.Add(TransactionSql.SavepointBytes(0));
        }

        if (IsLiteral)
        {
            Pipeline.Add(_text.WrittenSpan);
        }
        else
        {
            Pipeline.Add(statement!, Parameters);
        }
    }

    /// <summary>The text of a single INSERT as REPLACE; copies, so only for few rows.</summary>
    public ReadOnlyMemory<byte> ToReplace() =>
        (byte[])[.. Encoding.UTF8.GetBytes(form.ReplaceHead), .. _text.WrittenSpan[_head.Length.._rowsEnd]];

    /// <exception cref="ServerException">a fault that is not about the rows</exception>
    public BatchOutcome ReadAnswers(DuplicateForm counts)
    {
        PipelineFaults.ThrowOthers(Pipeline);
        if (Pipeline.Faults is [{ Command: 0 } first, ..])
        {
            // The server refused the savepoint: the batch cannot be undone alone.
            throw first.Error;
        }

        var taken = default(RowCounts);
        for (var command = 1; command < Pipeline.Count; command++)
        {
            if (Pipeline.Faults is [var fault, ..] && fault.Command == command)
            {
                return Refuse(command, BatchRefusals.OfError(fault.Error));
            }

            var answer = Pipeline.Answers[command];
            if (answer.Warnings > 0 || AnswerCounts.Read(counts, answer, StatementRows) is not { } rows)
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

/// <summary>Makes counts of records from an INSERT's answer. ON DUPLICATE KEY UPDATE counts 1 for a new row and 2 for a changed one (MySQL
/// manual, "INSERT ... ON DUPLICATE KEY UPDATE Statement"; the session has no CLIENT_FOUND_ROWS); the text of the answer counts the changed
/// ones as duplicates. A statement of one row has no text.</summary>
internal static class AnswerCounts
{
    /// <returns>null: the numbers do not tell the outcome of all rows</returns>
    public static RowCounts? Read(DuplicateForm form, OkResult answer, int rows)
    {
        switch (form)
        {
            case DuplicateForm.Plain or DuplicateForm.SkipAlone:
                return answer.AffectedRows == (ulong)rows ? new RowCounts(rows) : null;
            case DuplicateForm.ReplaceAlone:
                // The server adds one for each deleted row, except where the row was the same.
                return rows == 1 && answer.AffectedRows > 0 ? new RowCounts(0, Updated: 1) : null;
        }

        if (FindChanged(answer, rows) is not { } changed)
        {
            return null;
        }

        var inserted = (long)answer.AffectedRows - (2 * changed);
        var same = rows - inserted - changed;
        if (inserted < 0 || same < 0)
        {
            return null;
        }

        return form switch
        {
            DuplicateForm.SetColumns => new RowCounts(inserted, changed, same),

            // As REPLACE would count: it does not check whether the row is the same.
            DuplicateForm.SetRow => new RowCounts(inserted, changed + same),
            _ => changed == 0 ? new RowCounts(inserted, Ignored: same) : null,
        };
    }

    private static long? FindChanged(OkResult answer, int rows)
    {
        if (rows == 1)
        {
            return answer.AffectedRows switch { 0 or 1 => 0, 2 => 1, _ => null };
        }

        // Records, duplicates, warnings; nothing else.
        Span<long> numbers = stackalloc long[4];
        return answer.ReadNumbers(numbers) == 3 && numbers[0] == rows ? numbers[1] : null;
    }
}
