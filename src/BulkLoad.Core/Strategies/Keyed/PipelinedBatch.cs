using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>Rows of a block with a statement each in a pipeline, behind the batch's savepoint.</summary>
/// <param name="statement">of a row; prepared when it is first needed</param>
internal abstract class PipelinedBatch(KeyOrder keys, LazyStatement statement) : KeyedBatch(keys)
{
    private readonly List<int> _sent = [];
    private int _before;

    /// <summary>Whether a savepoint comes first, which not every engine takes.</summary>
    public bool HasSavepoint { get; set; } = true;

    /// <summary>What is sent.</summary>
    public Pipeline Pipeline { get; } = new();

    /// <summary>Whether <see cref="Pipeline"/> has the rows; else <see cref="Write()"/> puts them there, once the statement is
    /// prepared.</summary>
    public bool IsWritten { get; private set; }

    /// <summary>Whether <see cref="Pipeline"/> has executions of many rows each; else each row has its own.</summary>
    public virtual bool IsInBulk => false;

    /// <summary>Rows that are not sent, since no packet holds them: the key of each, and its bytes.</summary>
    public List<(int Key, long Bytes)> TooLarge { get; } = [];

    /// <summary>The statement of a row, once it is prepared.</summary>
    protected PreparedStatement? Statement => statement.Prepared;

    /// <summary>Whether a row needs the prepared statement.</summary>
    protected abstract bool NeedsStatement { get; }

    /// <summary>Writes all rows.</summary>
    public virtual void Write()
    {
        Begin();
        Write(0);
    }

    /// <summary>The rows that were answered, 0-based in the batch, each with the answer or the error; the savepoint is none of
    /// them.</summary>
    public IEnumerable<(int Row, OkResult Answer, ServerException? Error)> ReadAnswers()
    {
        var errors = Pipeline.Faults.ToDictionary(fault => fault.Command, fault => fault.Error);
        for (var command = _before; command < Pipeline.Answered; command++)
        {
            yield return (Row(_sent[command - _before]), Pipeline.Answers[command], errors.GetValueOrDefault(command));
        }
    }

    /// <summary>Keeps only the rows that were not sent.</summary>
    /// <returns>whether there are any</returns>
    public bool KeepUnsent()
    {
        if (Pipeline.Sent == Pipeline.Count)
        {
            return false;
        }

        var next = _sent[Pipeline.Sent - _before];
        TooLarge.RemoveAll(found => found.Key > next);
        Pipeline.Clear();
        _before = 0;
        Write(next);
        return true;
    }

    protected override void Encode()
    {
        IsWritten = false;
        if (Statement is not null || !NeedsStatement)
        {
            Write();
        }
    }

    /// <summary>Forgets what was written, and begins anew with the savepoint.</summary>
    protected void Begin()
    {
        TooLarge.Clear();
        Pipeline.Clear();
        if (HasSavepoint)
        {
            Pipeline.Add(TransactionSql.SavepointBytes(0));
        }

        (IsWritten, _before) = (true, HasSavepoint ? 1 : 0);
    }

    /// <summary>Adds a row's statement to <see cref="Pipeline"/>.</summary>
    /// <param name="statement">null: none is needed</param>
    /// <returns>the bytes of its packet, where they are too many for the server and nothing was added; else null</returns>
    protected abstract long? Add(int key, PreparedStatement? statement);

    private void Write(int from)
    {
        _sent.Clear();
        for (var key = from; key < Keys.Count; key++)
        {
            if (Add(key, Statement) is { } bytes)
            {
                TooLarge.Add((key, bytes));
            }
            else
            {
                _sent.Add(key);
            }
        }
    }
}
