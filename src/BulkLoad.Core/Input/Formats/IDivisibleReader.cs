using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Input.Formats;

/// <summary>A reader whose input several readers can read, each other pieces of it: bytes that begin with a record and end with a
/// line.</summary>
internal interface IDivisibleReader : IRecordReader
{
    /// <summary>Whether no record's meaning depends on the records before it.</summary>
    bool IsDivisible { get; }

    /// <summary>Whether what the current record has told is all that others need to read on behind it.</summary>
    bool CanLeaveRest { get; }

    /// <summary>Leaves the current record, and gives the bytes behind it back.</summary>
    /// <returns>the place behind it</returns>
    ReadPlace LeaveRest(LookAheadStream content);

    /// <summary>Continues behind what others have read. There is no current record then.</summary>
    void GoOn(ReadPlace place);

    /// <summary>Behind the last line end that seems to end a record; 0: there is none. It may be wrong: then a reader of pieces that gets
    /// these bytes finds a fault.</summary>
    int FindEnd(ReadOnlySpan<byte> bytes);

    /// <summary>A reader of pieces, each of which <see cref="BeginPiece"/> gives it.</summary>
    IDivisibleReader ForPieces();

    /// <summary>Begins with a piece, whose records and lines begin with 1. The bytes stay the caller's.</summary>
    void BeginPiece(byte[] bytes, int length, long offset);

    /// <summary>The number of lines that were read, at the end of a piece.</summary>
    long Lines { get; }

    /// <summary>Takes up what a reader of pieces knows of all their records.</summary>
    void TakeUp(IDivisibleReader pieces)
    {
    }
}

/// <summary>A place between two records: decoded offset and 1-based line of the next one, and number of records before it.</summary>
internal readonly record struct ReadPlace(long Offset, long Line, long Records);
