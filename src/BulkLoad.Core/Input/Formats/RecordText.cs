using System.Buffers;

namespace BulkLoad.Core.Input.Formats;

/// <summary>Writes the fields of records without a text as CSV, so that they can be compared and refused.</summary>
internal sealed class RecordText
{
    private readonly ArrayBufferWriter<byte> _text = new();

    /// <summary>Valid until the next call.</summary>
    public ReadOnlySpan<byte> Of(IRecord record)
    {
        _text.ResetWrittenCount();
        for (var i = 0; i < record.FieldCount; i++)
        {
            Add(i, record.GetField(i, out var value), value);
        }

        return _text.WrittenSpan;
    }

    /// <summary>A line for the head of a file of rejects; null: there are no names, and no line.</summary>
    public static byte[] Header(IReadOnlyList<string>? names)
    {
        if (names is null)
        {
            return [];
        }

        var line = new RecordText();
        for (var i = 0; i < names.Count; i++)
        {
            line.Add(i, FieldKind.Bare, Encoding.UTF8.GetBytes(names[i]));
        }

        line._text.Write("\n"u8);
        return line._text.WrittenSpan.ToArray();
    }

    private void Add(int field, FieldKind kind, ReadOnlySpan<byte> value)
    {
        if (field > 0)
        {
            _text.Write(","u8);
        }

        if (kind is FieldKind.Null or FieldKind.Missing || (kind == FieldKind.Bare && value.IndexOfAny(",\"\r\n"u8) < 0))
        {
            _text.Write(value);
            return;
        }

        _text.Write("\""u8);
        while (value.IndexOf((byte)'"') is >= 0 and var quote)
        {
            _text.Write(value[..(quote + 1)]);
            _text.Write("\""u8);
            value = value[(quote + 1)..];
        }

        _text.Write(value);
        _text.Write("\""u8);
    }
}
