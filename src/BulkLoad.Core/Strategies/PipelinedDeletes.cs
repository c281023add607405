using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Strategies;

/// <summary>Rows of a block as executions of a prepared DELETE in a pipeline.</summary>
/// <param name="keys">puts them in order</param>
/// <param name="statement">of one key</param>
/// <param name="encoder">of a row's values</param>
/// <param name="maxPacket">bytes that the server takes in one packet</param>
internal sealed class PipelinedDeletes(KeyOrder keys, LoneStatement statement, RowEncoder encoder, long maxPacket) : PipelinedBatch(keys, statement)
{
    private readonly BinaryParameters _parameters = new(encoder.Types(1));

    protected override bool NeedsStatement => true;

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
