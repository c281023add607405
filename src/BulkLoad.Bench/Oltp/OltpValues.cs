using BulkLoad.Core.Protocol;

namespace BulkLoad.Bench.Oltp;

/// <summary>Random values for one session's statements; ids are uniformly distributed.</summary>
internal sealed class OltpValues(long rows, Random random)
{
    private const int RangeRows = 100;

    private readonly BinaryParameters _id = new([ParameterType.Int64]);
    private readonly BinaryParameters _range = new([ParameterType.Int64, ParameterType.Int64]);
    private readonly BinaryParameters _text = new([ParameterType.Text, ParameterType.Int64]);
    private readonly BinaryParameters _row = new([ParameterType.Int64, ParameterType.Int64, ParameterType.Text, ParameterType.Text]);
    private readonly BinaryParameters _newRow = new([ParameterType.Int64, ParameterType.Text, ParameterType.Text]);
    private readonly byte[] _c = new byte[OltpTables.TextLength];
    private readonly byte[] _pad = new byte[OltpTables.PadLength];
    private long _lastId;

    /// <summary>Valid until the next call.</summary>
    public BinaryParameters For(OltpStatement statement) => statement switch
    {
        OltpStatement.SelectPoint or OltpStatement.UpdateIndexed or OltpStatement.Delete => Id(),
        OltpStatement.UpdateOther => Text(),
        OltpStatement.Insert => Row(),
        OltpStatement.InsertNew => NewRow(),
        _ => Range(),
    };

    private BinaryParameters Id()
    {
        _id.Reset();
        _id.AddInt64(RandomId());
        return _id;
    }

    private BinaryParameters Range()
    {
        _range.Reset();
        _range.AddInt64(RandomId());
        _range.AddInt64(_lastId + RangeRows - 1);
        return _range;
    }

    private BinaryParameters Text()
    {
        _text.Reset();
        AddText(_text, _c);
        _text.AddInt64(RandomId());
        return _text;
    }

    private BinaryParameters Row()
    {
        _row.Reset();
        _row.AddInt64(_lastId);
        AddColumns(_row);
        return _row;
    }

    private BinaryParameters NewRow()
    {
        _newRow.Reset();
        AddColumns(_newRow);
        return _newRow;
    }

    private void AddColumns(BinaryParameters row)
    {
        row.AddInt64(RandomId());
        AddText(row, _c);
        AddText(row, _pad);
    }

    private void AddText(BinaryParameters row, byte[] text)
    {
        OltpTables.FillText(random, text);
        row.AddBytes(text);
    }

    private long RandomId() => _lastId = random.NextInt64(1, rows + 1);
}
