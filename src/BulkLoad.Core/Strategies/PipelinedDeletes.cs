using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>Keys of a block's rows as executions of a prepared statement in a pipeline, behind the batch's savepoint.</summary>
/// <param name="keys">puts them in order</param>
/// <param name="encoder">of a row's values</param>
/// <param name="maxPacket">bytes that the server takes in one packet</param>
internal sealed class PipelinedKeys(KeyOrder keys, RowEncoder encoder, long maxPacket) : EncodedBatch
{
    private readonly BinaryParameters _parameters = new(encoder.Types(1));
    private readonly List<int> _sent = [];
    private bool _isMarked;

    /// <summary>What is sent.</summary>
    public Pipeline Pipeline { get; } = new();

    /// <summary>Whether <see cref="Pipeline"/> has the keys.</summary>
    public bool IsWritten { get; private set; }

    /// <summary>Rows with the key of an earlier row of the batch.</summary>
    public int Repeated => keys.Repeated;

    /// <summary>Keys that are not sent, since no packet holds them, with their bytes.</summary>
    public List<(int Key, long Bytes)> TooLarge { get; } = [];

    /// <summary>The row of a key, 0-based in the batch.</summary>
    public int Row(int key) => keys.Row(key);

    /// <param name="block">whole rows</param>
    /// <param name="from">0-based first row</param>
    /// <param name="rows">how many</param>
    public void Fill(RowBlock block, int from, int rows)
    {
        (RowCount, IsWritten) = (rows, false);
        keys.Fill(block, from, rows);
    }

    /// <summary>Writes all keys.</summary>
    /// <param name="statement">of one key</param>
    public void Write(PreparedStatement statement)
    {
        TooLarge.Clear();
        Pipeline.Clear();
        Pipeline.Add(TransactionSql.MarkBatchBytes(0));
        _sent.Clear();
        (IsWritten, _isMarked) = (true, true);
        Write(statement, 0);
    }

    /// <summary>The keys that were answered, each with its command; the savepoint is none of them.</summary>
    public IEnumerable<(int Key, int Command)> Answered()
    {
        var before = _isMarked ? 1 : 0;
        for (var i = 0; i < Pipeline.Answered - before; i++)
        {
            yield return (_sent[i], i + before);
        }
    }

    /// <summary>Keeps only the keys that were not sent.</summary>
    /// <returns>whether there are any</returns>
    public bool KeepUnsent(PreparedStatement statement)
    {
        if (Pipeline.Sent == Pipeline.Count)
        {
            return false;
        }

        var next = _sent[Pipeline.Sent - (_isMarked ? 1 : 0)];
        TooLarge.RemoveAll(found => found.Key > next);
        Pipeline.Clear();
        _sent.Clear();
        _isMarked = false;
        Write(statement, next);
        return true;
    }

    private void Write(PreparedStatement statement, int from)
    {
        for (var key = from; key < keys.Count; key++)
        {
            _parameters.Reset();
            encoder.Add(keys.Block, keys.RowOfBlock(key), _parameters);
            var bytes = _parameters.PacketBytes;
            if (bytes > maxPacket)
            {
                TooLarge.Add((key, bytes));
                continue;
            }

            Pipeline.Add(statement, _parameters);
            _sent.Add(key);
        }
    }
}
