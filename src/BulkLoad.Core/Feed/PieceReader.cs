using BulkLoad.Core.Facts;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Values.Mapping;

namespace BulkLoad.Core.Feed;

/// <summary>How an input is divided.</summary>
/// <param name="Readers">that read pieces of it at the same time; 1: it is not divided</param>
internal sealed record PieceSizes(int Readers)
{
    /// <summary>A piece and what is made from it stay in a core's cache.</summary>
    public int Bytes { get; init; } = 128 * 1024;

    /// <summary>Smaller inputs, in bytes as stored, are not divided.</summary>
    public long MinInput { get; init; } = ReaderRules.MinBytes;

    /// <summary>Bytes that one reader reads first, so that the other side soon has something to do.</summary>
    public long ReadFirst { get; init; } = 256 * 1024;

    /// <summary>Bytes that one reader reads, at least, where a piece needs it.</summary>
    public long ReadAlone { get; init; } = 1024 * 1024;

    public static PieceSizes For(LoadFacts facts) => new(ReaderRules.Of(facts));
}

/// <summary>Reads and maps pieces of an input, one after the other: bytes that begin with a record and end with a line. One thread uses it
/// at a time.</summary>
internal sealed class PieceReader : IDisposable
{
    private readonly IDivisibleReader _reader;
    private readonly RowMapper _mapper;
    private readonly string _name;
    private readonly byte[] _bytes;
    private int _length;
    private bool _passesDirt;
    private Task<bool>? _mapping;

    /// <param name="reader">for pieces; disposed of with this</param>
    /// <param name="name">the input's</param>
    /// <param name="dirt">kinds of lines that are reported where they are skipped</param>
    /// <param name="bytes">of the largest piece</param>
    public PieceReader(IDivisibleReader reader, RowMapper mapper, string name, int columns, DirtPolicies dirt, int bytes)
    {
        (_reader, _mapper, _name) = (reader, mapper, name);
        _reader.OnPassed = (kind, _, _, _) => _passesDirt |= dirt.Names(kind);
        _bytes = GC.AllocateUninitializedArray<byte>(bytes);
        Rows = new RowBlock(columns, bytes);
    }

    /// <summary>Room for a piece.</summary>
    public Span<byte> Room => _bytes;

    public ReadOnlySpan<byte> Bytes => _bytes.AsSpan(0, _length);

    /// <summary>The decoded offset of the piece.</summary>
    public long Offset { get; private set; }

    /// <summary>Bytes on disk that were read up to the piece's end.</summary>
    public long BytesRead { get; private set; }

    /// <summary>Rows and rejects, whose numbers and lines begin with 1 in each piece. Offsets are decoded.</summary>
    public RowBlock Rows { get; }

    /// <summary>Number of the piece's lines.</summary>
    public long Lines { get; private set; }

    /// <summary>Begins to map the first bytes of the room, on another thread.</summary>
    public void Begin(int length, long offset, long bytesRead)
    {
        (_length, Offset, BytesRead) = (length, offset, bytesRead);
        _mapping = Task.Run(Map);
    }

    /// <summary>Waits until all is mapped. False: the piece must be read with the records before it.</summary>
    public Task<bool> EndAsync() => _mapping!;

    /// <summary>Tells the input's own reader what was found in the pieces.</summary>
    public void TellTo(IDivisibleReader reader) => reader.TakeUp(_reader);

    public void Dispose() => _reader.Dispose();

    private bool Map()
    {
        Rows.Clear();
        _passesDirt = false;
        _reader.BeginPiece(_bytes, _length, Offset);
        try
        {
            while (_reader.Read())
            {
                if (_reader.Fault is not null || _reader.Repair is not null || _passesDirt)
                {
                    return false;
                }

                _mapper.TryAdd(_reader, _name, _reader.ByteOffset, Rows);
            }
        }
        catch (InputException)
        {
            // It comes again, in its turn.
            return false;
        }

        Lines = _reader.Lines;
        return !_passesDirt;
    }
}
