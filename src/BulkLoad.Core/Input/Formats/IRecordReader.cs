using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Input.Formats;

/// <summary>How a field was written, which decides whether it can be NULL.</summary>
internal enum FieldKind
{
    /// <summary>Without quotes. NULL if it is empty or a NULL text.</summary>
    Bare,

    /// <summary>In quotes, or a JSON number, literal or nested value. Never NULL.</summary>
    Quoted,

    /// <summary>Never NULL. In a JSON column it stays a string.</summary>
    JsonString,

    /// <summary><c>\N</c> in the mysql format, <c>null</c> in JSON.</summary>
    Null,

    Missing,
}

/// <summary>Why a record is refused: a stable kebab-case code, a message without the place, and the 0-based field or -1.</summary>
internal sealed record RecordFault(string Code, string Message, int Field = -1);

/// <summary>What was repaired. The code is the first kind of dirt.</summary>
internal sealed record RecordRepair(string Code, string Message, int Field = -1);

/// <summary>Gets a skipped line. The offset is decoded; the bytes are valid during the call.</summary>
internal delegate void LinePassed(DirtKind kind, long line, long offset, ReadOnlySpan<byte> bytes);

/// <summary>A parsed record: all that a row is made from. <see cref="IRecordReader"/> finds the records.</summary>
internal interface IRecord
{
    /// <summary>With a fault, only place and <see cref="RawRecord"/> are defined.</summary>
    RecordFault? Fault { get; }

    RecordRepair? Repair => null;

    /// <summary>Whether a record had that field. A header's fields are in every record.</summary>
    bool HasCome(int field) => true;

    int FieldCount { get; }

    /// <summary>UTF-8 without quotes and escapes. Empty for <see cref="FieldKind.Null"/> and <see cref="FieldKind.Missing"/>.</summary>
    FieldKind GetField(int index, out ReadOnlySpan<byte> value);

    /// <summary>1-based, without the header.</summary>
    long RecordNumber { get; }

    /// <summary>1-based line on which the record starts; 0: the format has no lines;
    /// <see cref="RowOrigin.UnknownLine"/>: not known.</summary>
    long LineNumber => 0;

    /// <summary>A field's place in an input without lines, such as <c>sheet 2026, cell D17</c>. Asked only for a message. Null: the
    /// record's number is enough.</summary>
    /// <param name="field">0-based; -1: the whole record</param>
    string? PlaceOf(int field) => null;

    /// <summary>0-based, in decompressed UTF-8; <see cref="InputFile.SourceOffset"/> converts it. Of a format without text: bytes that were
    /// read before it.</summary>
    long ByteOffset { get; }

    /// <summary>Without the line end. Of a format without text: its fields as CSV (<see cref="RecordText"/>).</summary>
    ReadOnlySpan<byte> RawRecord { get; }
}

internal static class RecordPlaces
{
    /// <param name="input">its name, for people</param>
    /// <param name="offset">in the undecoded input</param>
    /// <param name="field">0-based; -1: the whole record</param>
    public static RecordPlace PlaceIn(this IRecord record, string input, long offset, int field) =>
        new(input, record.RecordNumber, record.LineNumber, offset, record.RawRecord.ToArray(), record.PlaceOf(field));
}

/// <summary>Finds the records of an input, one after the other; its <see cref="IRecord"/> members are the current record. Spans are valid
/// until the next <see cref="Read"/>. A record with an error has a fault; an <see cref="InputException"/> is thrown if the input itself
/// cannot be read.</summary>
internal interface IRecordReader : IRecord, IDisposable
{
    /// <summary>By default there is nothing to dispose of: the content is the caller's.</summary>
    void IDisposable.Dispose()
    {
    }

    /// <summary>False at the end of the input.</summary>
    bool Read();

    /// <summary>The header (empty for an empty input), or the delivered keys. Null: no names.</summary>
    IReadOnlyList<string>? FieldNames => null;

    LinePassed? OnPassed
    {
        set { }
    }

    /// <summary>Whether the last field is text, so surplus fields may be joined to it.</summary>
    bool JoinsSurplus
    {
        set { }
    }
}
