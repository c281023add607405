using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Values.Mapping;

namespace BulkLoad.Core.Feed;

/// <summary>Divides an input into pieces, which several readers map at the same time, and gives them in the input's order. <para>A piece
/// ends with a line that seems to end a record. That is a guess, and right where the piece's reader finds no fault: then its last record
/// ends with it, whatever follows. At the first other piece the queue ends, and the input's own reader continues with that piece's
/// bytes.</para> One thread uses the queue; readers get their pieces from it.</summary>
internal sealed class PieceQueue : IAsyncDisposable
{
    /// <summary>Pieces that are found or mapped already while others are taken.</summary>
    private const int Spare = 2;

    private readonly InputFile _input;
    private readonly IDivisibleReader _reader;
    private readonly Func<PieceReader> _create;
    private readonly PieceSizes _sizes;
    private readonly Queue<PieceReader> _mapping = new();
    private readonly Stack<PieceReader> _free = new();
    private readonly byte[] _rest;
    private int _restLength;
    private long _offset;
    private bool _isAllFound;
    private long _begun;
    private long _next;
    private long _alone;

    /// <param name="reader">the input's own</param>
    /// <param name="createMapper">for each reader of pieces</param>
    public PieceQueue(
        InputFile input, IDivisibleReader reader, Func<RowMapper> createMapper, int columns, DirtPolicies dirt, PieceSizes sizes)
    {
        (_input, _reader, _sizes) = (input, reader, sizes);
        (_next, _alone) = (sizes.ReadFirst, sizes.ReadAlone);
        _rest = new byte[sizes.Bytes];
        _create = () => new PieceReader(reader.ForPieces(), createMapper(), input.Name, columns, dirt, sizes.Bytes);
    }

    /// <summary>Behind the records that were taken.</summary>
    public ReadPlace Place { get; private set; }

    /// <summary>Whether pieces may begin behind the current record, which has this decoded offset.</summary>
    public bool MayBegin(long offset) => offset >= _next && _reader.CanLeaveRest;

    /// <summary>Divides what is behind the reader's current record.</summary>
    public void Begin()
    {
        for (var count = _free.Count; count < _sizes.Readers + Spare; count++)
        {
            _free.Push(_create());
        }

        Place = _reader.LeaveRest(_input.Content);
        (_offset, _restLength, _isAllFound) = (Place.Offset, 0, false);
        _begun = _offset;
    }

    /// <summary>The next piece; valid until <see cref="Take"/>. Null: the input's own reader must continue.</summary>
    public async ValueTask<PieceReader?> NextAsync()
    {
        while (_free.Count > 0 && !_isAllFound && Find(_free.Peek()))
        {
            _mapping.Enqueue(_free.Pop());
        }

        return _mapping.TryPeek(out var piece) && await piece.EndAsync() ? piece : null;
    }

    /// <summary>The number of a record of the next piece, of which the reader has to know.</summary>
    /// <param name="record">1-based in the piece</param>
    public long Count(int record)
    {
        _reader.GoOn(Place with { Records = Place.Records + record });
        return _reader.RecordNumber;
    }

    /// <summary>The next piece is done.</summary>
    /// <param name="records">number of its records that were taken</param>
    public void Take(PieceReader piece, int records)
    {
        Place = new ReadPlace(piece.Offset + piece.Bytes.Length, Place.Line + piece.Lines, Place.Records + records);
        _reader.GoOn(Place);
        piece.TellTo(_reader);
        _free.Push(_mapping.Dequeue());
    }

    /// <summary>A reject of the next piece, with its place in the input.</summary>
    public Reject Convert(Reject reject) => reject with
    {
        Record = Place.Records + reject.Record,
        Line = Place.Line - 1 + reject.Line,
        Offset = _input.SourceOffset(reject.Offset),
    };

    /// <summary>Makes decoded offsets of a block's last rows those of the input.</summary>
    public void ConvertOffsets(RowBlock block, int rows)
    {
        if (_input.Origin is not null)
        {
            block.ConvertOffsets(rows, _input.SourceOffset);
        }
    }

    /// <summary>The input's own reader continues behind what was taken.</summary>
    public async Task EndAsync()
    {
        await StopAsync();
        _input.Content.GiveBack(_rest.AsSpan(0, _restLength));
        foreach (var piece in _mapping.Reverse())
        {
            _input.Content.GiveBack(piece.Bytes);
            _free.Push(piece);
        }

        _mapping.Clear();
        _reader.GoOn(Place);

        // Where pieces often fail, they cost more than they gain.
        _alone = Place.Offset - _begun >= _alone ? _sizes.ReadAlone : 2 * _alone;
        _next = Place.Offset + _alone;
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        foreach (var piece in _mapping.Concat(_free))
        {
            piece.Dispose();
        }
    }

    private async Task StopAsync()
    {
        foreach (var piece in _mapping)
        {
            await ((Task)piece.EndAsync()).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>Reads the next bytes, and has them mapped. False: they have no end that could be one of a record.</summary>
    private bool Find(PieceReader piece)
    {
        _input.Origin?.Forget(_mapping.TryPeek(out var oldest) ? oldest.Offset : _offset);
        var room = piece.Room;
        _rest.AsSpan(0, _restLength).CopyTo(room);
        var length = _restLength;
        try
        {
            while (length < room.Length && !_isAllFound)
            {
                var read = _input.Content.Read(room[length..]);
                length += read;
                _isAllFound = read == 0;
            }
        }
        catch (InputException)
        {
            // It comes again, behind the bytes that are given back.
            _isAllFound = true;
        }

        var end = _reader.FindEnd(room[..length]);
        _restLength = length - end;
        room[end..length].CopyTo(_rest);
        if (end == 0)
        {
            _isAllFound = true;
            return false;
        }

        piece.Begin(end, _offset, _input.BytesRead);
        _offset += end;
        return true;
    }
}
