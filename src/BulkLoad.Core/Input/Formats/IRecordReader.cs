using BulkLoad.Core.Input.Repairing;

namespace BulkLoad.Core.Input.Formats;

/// <summary>How a field stood in the input; decides whether it can be NULL.</summary>
internal enum FieldKind
{
    /// <summary>Without quotes: an empty one is NULL, and so is one that equals a NULL text.</summary>
    Bare,

    /// <summary>In quotes, or a JSON number, literal or nested value: never NULL.</summary>
    Quoted,

    /// <summary>A JSON string: never NULL, and still a string where it goes into a JSON column.</summary>
    JsonString,

    /// <summary>NULL by the format itself: <c>\N</c> of the mysql format, JSON's <c>null</c>.</summary>
    Null,

    /// <summary>Not there: a key that a JSON object does not have.</summary>
    Missing,
}

/// <summary>Why a record cannot be taken; data, not an exception.</summary>
/// <param name="Code">stable kebab-case word, such as <c>few-fields</c></param>
/// <param name="Message">what is wrong, for people, without the place</param>
/// <param name="Field">0-based field where the fault is known to sit, or -1</param>
internal sealed record RecordFault(string Code, string Message, int Field = -1);

/// <summary>What was repaired of a record, by a policy of the user's.</summary>
/// <param name="Code">the first kind of dirt, such as <c>few-fields</c></param>
internal sealed record RecordRepair(string Code, string Message, int Field = -1);

/// <summary>Gets a line that holds nothing to read and is skipped by a policy, or by its absence.</summary>
/// <param name="line">its 1-based number</param>
/// <param name="offset">of its first byte, decoded</param>
/// <param name="bytes">the line; valid during the call</param>
internal delegate void LinePassed(DirtKind kind, long line, long offset, ReadOnlySpan<byte> bytes);

/// <summary>Reads records one after the other. Spans are valid until the next <see cref="Read"/>. Throws <see cref="InputException"/> where
/// the input itself cannot be read; a record that breaks the format's rules is a <see cref="Fault"/>.</summary>
internal interface IRecordReader : IDisposable
{
    /// <summary>Moves to the next record; false at the end of the input.</summary>
    bool Read();

    /// <summary>The names of the fields: the header as it is in the input (empty where the input is), or the keys that are delivered. Null
    /// where the input has no names.</summary>
    IReadOnlyList<string>? FieldNames => null;

    /// <summary>What is wrong with the current record, or null. Where something is, only its place and <see cref="RawRecord"/> mean
    /// anything.</summary>
    RecordFault? Fault { get; }

    /// <summary>What was repaired of the current record; null where nothing was.</summary>
    RecordRepair? Repair => null;

    /// <summary>Gets the lines that are dirt and no records.</summary>
    LinePassed? OnPassed
    {
        set { }
    }

    /// <summary>Whether the last field is text, so that surplus fields may be joined to it.</summary>
    bool JoinsSurplus
    {
        set { }
    }

    /// <summary>Whether any record so far had a field of that name: a header's are in every record.</summary>
    bool HasCome(int field) => true;

    int FieldCount { get; }

    /// <summary>The decoded UTF-8 bytes of a field: quotes and escapes resolved. Empty for <see cref="FieldKind.Null"/> and
    /// <see cref="FieldKind.Missing"/>.</summary>
    FieldKind GetField(int index, out ReadOnlySpan<byte> value);

    /// <summary>1-based number of the record in its file; a header is not counted.</summary>
    long RecordNumber { get; }

    /// <summary>1-based line on which the record starts.</summary>
    long LineNumber { get; }

    /// <summary>0-based offset of the record's first byte in the decompressed input, counted in UTF-8 bytes;
    /// <see cref="InputFile.SourceOffset"/> makes it the user's.</summary>
    long ByteOffset { get; }

    /// <summary>The record's bytes as they are in the (decompressed, UTF-8) input, without the line end.</summary>
    ReadOnlySpan<byte> RawRecord { get; }
}
