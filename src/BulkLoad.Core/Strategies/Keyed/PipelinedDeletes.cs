using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>Rows of a block as executions of a prepared DELETE in a pipeline: one for each key, or one in bulk for many of them.</summary>
/// <param name="keys">puts them in order</param>
/// <param name="statement">of one key</param>
/// <param name="encoder">of a row's values</param>
/// <param name="maxPacket">bytes that the server takes in one packet</param>
/// <param name="goesInBulk">asked for each batch; the server must take bulk executions then</param>
internal sealed class PipelinedDeletes(KeyOrder keys, LazyStatement statement, RowEncoder encoder, long maxPacket, Func<bool> goesInBulk) : PipelinedBatch(keys, statement)
{
    /// <summary>Keys of one execution: an answer costs little beside them, and few are found again where one has no row.</summary>
    public const int KeysInBulk = 500;

    private readonly BinaryParameters _parameters = new(encoder.Types(1));
    private readonly BulkParameters _bulk = new(encoder.Types(1));

    /// <summary>Keys of each execution in bulk, in order.</summary>
    public List<int> InBulk { get; } = [];

    public override bool IsInBulk => InBulk.Count > 0;

    protected override bool NeedsStatement => true;

    public override void Write()
    {
        InBulk.Clear();
        if (!goesInBulk())
        {
            base.Write();
            return;
        }

        Begin();
        for (var key = 0; key < Keys.Count;)
        {
            _bulk.Reset();
            var from = key;
            do
            {
                encoder.Add(Keys.Block, Keys.RowOfBlock(key++), _bulk);
            }
            while (key < Keys.Count && key - from < KeysInBulk && _bulk.PacketBytes < maxPacket / 4);

            if (_bulk.PacketBytes >= maxPacket)
            {
                // One of the keys may be too large by itself.
                WriteOneByOne();
                return;
            }

            InBulk.Add(key - from);
            Pipeline.Add(Statement!, _bulk);
        }
    }

    /// <summary>Writes each key as an execution of its own, whatever it was before.</summary>
    public void WriteOneByOne()
    {
        InBulk.Clear();
        base.Write();
    }

    protected override long? Add(int key, PreparedStatement? statement)
    {
        _parameters.Reset();
        encoder.Add(Keys.Block, Keys.RowOfBlock(key), _parameters);
        if (_parameters.PacketBytes >= maxPacket)
        {
            return _parameters.PacketBytes;
        }

        Pipeline.Add(statement!, _parameters);
        return null;
    }
}
