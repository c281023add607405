using System.Buffers;
using System.Buffers.Binary;
using System.Text.Json;
using System.Text.Unicode;
using BulkLoad.Core.Input.Formats;

namespace BulkLoad;

/// <summary>Takes the values of one object after the other, in the order of its <see cref="BulkMap{T}"/>. Generated code uses it; a map
/// that is written by hand does too. A value is written as the text that a file would have, so that the rules of
/// <c>docs/values.md</c> decide about it, whatever type it has here. Not thread-safe.</summary>
public sealed class BulkRowWriter
{
    /// <summary>Enough for any number, date or time with the length before it.</summary>
    private const int ShortBytes = 64;

    private const int InitialBytes = 64 * 1024;

    private const int TicksDigits = 7;

    private byte[] _bytes = new byte[InitialBytes];
    private int _end;
    private int _record;
    private int _fields;

    internal BulkRowWriter()
    {
    }

    /// <summary>Bytes of whole records that were not taken yet.</summary>
    internal int Length => _end;

    internal ReadOnlySpan<byte> Bytes => _bytes.AsSpan(0, _end);

    /// <summary>NULL.</summary>
    public void WriteNull()
    {
        Reserve(1)[0] = 0;
        _end++;
        _fields++;
    }

    /// <summary>1 or 0.</summary>
    public void Write(bool value)
    {
        var to = Reserve(2);
        to[0] = 2;
        to[1] = value ? (byte)'1' : (byte)'0';
        EndShort(2);
    }

    /// <summary>A number.</summary>
    public void Write(int value) => Write((long)value);

    /// <summary>A number.</summary>
    public void Write(long value) => WriteShort(value);

    /// <summary>A number.</summary>
    public void Write(ulong value) => WriteShort(value);

    /// <summary>The shortest text that is this number again.</summary>
    public void Write(double value) => WriteShort(value);

    /// <summary>The shortest text that is this number again.</summary>
    public void Write(float value) => WriteShort(value);

    /// <summary>A number with all of its digits.</summary>
    public void Write(decimal value) => WriteShort(value);

    /// <summary>Any number of .NET's, such as <see cref="Int128"/> or <see cref="System.Numerics.BigInteger"/>.</summary>
    public void WriteFormatted<T>(T value) where T : IUtf8SpanFormattable
    {
        for (var size = ShortBytes; ; size *= 2)
        {
            var to = Reserve(size + ObjectForm.MaxFieldLengthBytes);
            if (value.TryFormat(to[ObjectForm.MaxFieldLengthBytes..], out var written, default, CultureInfo.InvariantCulture))
            {
                var text = to.Slice(ObjectForm.MaxFieldLengthBytes, written);
                var before = ObjectForm.WriteLength(to, (uint)written + 1);
                text.CopyTo(to[before..]);
                EndShort(before + written);
                return;
            }
        }
    }

    /// <summary>One character.</summary>
    public void Write(char value) => Write(new ReadOnlySpan<char>(in value));

    /// <summary>Text; null is NULL.</summary>
    public void Write(string? value)
    {
        if (value is null)
        {
            WriteNull();
        }
        else
        {
            Write(value.AsSpan());
        }
    }

    /// <summary>Text. A lone surrogate is no text: the record is refused.</summary>
    public void Write(ReadOnlySpan<char> value)
    {
        var most = Encoding.UTF8.GetMaxByteCount(value.Length);
        var to = Reserve(most + ObjectForm.MaxFieldLengthBytes);

        // Where the length before the text takes as many bytes as it would for the longest, nothing has to be moved.
        var before = ObjectForm.WriteLength(to, (uint)value.Length + 1);
        var status = Utf8.FromUtf16(value, to[before..], out _, out var written, replaceInvalidSequences: false);
        if (status != OperationStatus.Done)
        {
            written = WriteSurrogates(value, to[before..]);
        }

        Span<byte> length = stackalloc byte[ObjectForm.MaxFieldLengthBytes];
        var needed = ObjectForm.WriteLength(length, (uint)written + 1);
        if (needed != before)
        {
            to.Slice(before, written).CopyTo(to[needed..]);
        }

        length[..needed].CopyTo(to);
        EndShort(needed + written);
    }

    /// <summary>Bytes; null is NULL.</summary>
    public void Write(byte[]? value)
    {
        if (value is null)
        {
            WriteNull();
        }
        else
        {
            Write(value.AsSpan());
        }
    }

    /// <summary>Bytes, or text in UTF-8.</summary>
    public void Write(ReadOnlyMemory<byte> value) => Write(value.Span);

    /// <summary>Bytes, or text in UTF-8.</summary>
    public void Write(ReadOnlySpan<byte> value)
    {
        var to = Reserve(value.Length + ObjectForm.MaxFieldLengthBytes);
        var before = ObjectForm.WriteLength(to, (uint)value.Length + 1);
        value.CopyTo(to[before..]);
        EndShort(before + value.Length);
    }

    /// <summary>The usual form of 36 characters.</summary>
    public void Write(Guid value) => WriteShort(value);

    /// <summary>A date.</summary>
    public void Write(DateOnly value)
    {
        var to = Reserve(ShortBytes);
        EndValue(to, PutDate(to[1..], value.Year, value.Month, value.Day));
    }

    /// <summary>A time of day.</summary>
    public void Write(TimeOnly value)
    {
        var to = Reserve(ShortBytes);
        EndValue(to, PutTime(to[1..], value.Hour, value.Minute, value.Second, value.Ticks % TimeSpan.TicksPerSecond));
    }

    /// <summary>A time, which a TIME column holds up to 838 hours, also below zero.</summary>
    public void Write(TimeSpan value)
    {
        var to = Reserve(ShortBytes);
        var text = to[1..];
        var at = 0;
        var ticks = value.Ticks == long.MinValue ? (ulong)long.MaxValue + 1 : (ulong)Math.Abs(value.Ticks);
        if (value < TimeSpan.Zero)
        {
            text[at++] = (byte)'-';
        }

        var hours = ticks / TimeSpan.TicksPerHour;
        if (hours > 99)
        {
            hours.TryFormat(text[at..], out var written, default, CultureInfo.InvariantCulture);
            at += written;
        }
        else
        {
            Put2(text[at..], (int)hours);
            at += 2;
        }

        text[at++] = (byte)':';
        Put2(text[at..], (int)(ticks / TimeSpan.TicksPerMinute % 60));
        text[at + 2] = (byte)':';
        Put2(text[(at + 3)..], (int)(ticks / TimeSpan.TicksPerSecond % 60));
        at += 5;
        EndValue(to, at + PutFraction(text[at..], (long)(ticks % TimeSpan.TicksPerSecond)));
    }

    /// <summary>Date and time. Of the kinds <see cref="DateTimeKind.Utc"/> and <see cref="DateTimeKind.Local"/> it is a moment, with its
    /// offset from UTC, which is converted to the job's time zone; of the third kind it is stored as it is.</summary>
    public void Write(DateTime value)
    {
        if (value.Kind == DateTimeKind.Local)
        {
            Write(new DateTimeOffset(value));
            return;
        }

        var to = Reserve(ShortBytes);
        var length = PutDateTime(to[1..], value);
        if (value.Kind == DateTimeKind.Utc)
        {
            to[1 + length++] = (byte)'Z';
        }

        EndValue(to, length);
    }

    /// <summary>A moment with its offset from UTC, which is converted to the job's time zone.</summary>
    public void Write(DateTimeOffset value)
    {
        var to = Reserve(ShortBytes);
        var text = to[1..];
        var at = PutDateTime(text, value.DateTime);
        var offset = value.Offset;
        text[at++] = offset < TimeSpan.Zero ? (byte)'-' : (byte)'+';
        offset = offset.Duration();
        Put2(text[at..], (int)offset.TotalHours);
        text[at + 2] = (byte)':';
        Put2(text[(at + 3)..], offset.Minutes);
        EndValue(to, at + 5);
    }

    /// <summary>The JSON text. An undefined element, and JSON's null, are NULL.</summary>
    public void Write(JsonElement value)
    {
        if (value.ValueKind is JsonValueKind.Undefined or JsonValueKind.Null)
        {
            WriteNull();
        }
        else
        {
            Write(System.Runtime.InteropServices.JsonMarshal.GetRawUtf8Value(value));
        }
    }

    /// <summary>A key, of any type that <c>Write</c> takes.</summary>
    /// <exception cref="NotSupportedException">another type</exception>
    internal void WriteKey<T>(T value)
    {
        switch (value)
        {
            case null: WriteNull(); break;
            case int number: Write(number); break;
            case long number: Write(number); break;
            case string text: Write(text); break;
            case Guid guid: Write(guid); break;
            case uint number: Write((long)number); break;
            case ulong number: Write(number); break;
            case short number: Write((long)number); break;
            case ushort number: Write((long)number); break;
            case byte number: Write((long)number); break;
            case sbyte number: Write((long)number); break;
            case decimal number: Write(number); break;
            case byte[] bytes: Write(bytes); break;
            case ReadOnlyMemory<byte> bytes: Write(bytes); break;
            case DateOnly date: Write(date); break;
            case DateTime time: Write(time); break;
            case DateTimeOffset time: Write(time); break;
            case TimeOnly time: Write(time); break;
            case TimeSpan time: Write(time); break;
            case char letter: Write(letter); break;
            default: throw new NotSupportedException($"a key cannot be of type {typeof(T)}");
        }
    }

    /// <summary>Begins the stream of records.</summary>
    /// <param name="before">number of records before the first one</param>
    /// <param name="names">of the fields</param>
    /// <param name="areKnown">whether the fields have these names; otherwise only their number counts</param>
    internal void BeginStream(long before, IReadOnlyList<string> names, bool areKnown)
    {
        var to = Reserve(ObjectForm.HeadBytes);
        BinaryPrimitives.WriteInt64LittleEndian(to, before);
        to[ObjectForm.HeadBytes - 1] = areKnown ? (byte)1 : (byte)0;
        _end += ObjectForm.HeadBytes;
        BeginRecord();
        foreach (var name in names)
        {
            Write(areKnown ? name : "");
        }

        EndRecord(names.Count);
    }

    internal void BeginRecord()
    {
        _record = _end;
        _fields = 0;
        Reserve(ObjectForm.LengthBytes);
        _end += ObjectForm.LengthBytes;
    }

    /// <exception cref="InvalidOperationException">another number of values was written</exception>
    internal void EndRecord(int fields)
    {
        if (_fields != fields)
        {
            throw new InvalidOperationException($"the map names {fields} columns, and an object has written {_fields} values");
        }

        BinaryPrimitives.WriteInt32LittleEndian(_bytes.AsSpan(_record), _end - _record - ObjectForm.LengthBytes);
    }

    /// <summary>Drops what was taken.</summary>
    internal void Clear() => _end = 0;

    /// <summary>A value whose text surely has less than 64 bytes.</summary>
    private void WriteShort<T>(T value) where T : IUtf8SpanFormattable
    {
        var to = Reserve(ShortBytes);
        value.TryFormat(to[1..], out var written, default, CultureInfo.InvariantCulture);
        EndValue(to, written);
    }

    private Span<byte> Reserve(int bytes)
    {
        if (_bytes.Length - _end < bytes)
        {
            Array.Resize(ref _bytes, (int)Math.Min(Math.Max(_bytes.Length * 2L, (long)_end + bytes), Array.MaxLength));
        }

        return _bytes.AsSpan(_end);
    }

    /// <summary>Ends a value of less than 127 bytes, behind its length of one byte.</summary>
    private void EndValue(Span<byte> to, int length)
    {
        to[0] = (byte)(length + 1);
        EndShort(length + 1);
    }

    private void EndShort(int bytes)
    {
        _end += bytes;
        _fields++;
    }

    /// <summary>Writes a lone surrogate as three bytes that no text in UTF-8 has.</summary>
    private static int WriteSurrogates(ReadOnlySpan<char> value, Span<byte> to)
    {
        var at = 0;
        for (var i = 0; i < value.Length; i++)
        {
            if (!char.IsSurrogate(value[i]) || (i + 1 < value.Length && char.IsSurrogatePair(value[i], value[i + 1])))
            {
                Rune.DecodeFromUtf16(value[i..], out var rune, out var used);
                at += rune.EncodeToUtf8(to[at..]);
                i += used - 1;
                continue;
            }

            to[at++] = (byte)(0xE0 | (value[i] >> 12));
            to[at++] = (byte)(0x80 | ((value[i] >> 6) & 0x3F));
            to[at++] = (byte)(0x80 | (value[i] & 0x3F));
        }

        return at;
    }

    private static int PutDateTime(Span<byte> to, DateTime value)
    {
        var at = PutDate(to, value.Year, value.Month, value.Day);
        to[at++] = (byte)' ';
        return at + PutTime(to[at..], value.Hour, value.Minute, value.Second, value.Ticks % TimeSpan.TicksPerSecond);
    }

    private static int PutDate(Span<byte> to, int year, int month, int day)
    {
        Put2(to, year / 100);
        Put2(to[2..], year % 100);
        to[4] = to[7] = (byte)'-';
        Put2(to[5..], month);
        Put2(to[8..], day);
        return 10;
    }

    private static int PutTime(Span<byte> to, int hour, int minute, int second, long ticks)
    {
        Put2(to, hour);
        to[2] = to[5] = (byte)':';
        Put2(to[3..], minute);
        Put2(to[6..], second);
        return 8 + PutFraction(to[8..], ticks);
    }

    /// <param name="ticks">of 100 ns, within a second; zeros at the end are left out</param>
    private static int PutFraction(Span<byte> to, long ticks)
    {
        if (ticks == 0)
        {
            return 0;
        }

        to[0] = (byte)'.';
        var end = 0;
        for (var digit = TicksDigits; digit > 0; digit--)
        {
            var value = (byte)(ticks % 10);
            ticks /= 10;
            to[digit] = (byte)('0' + value);
            end = end == 0 && value != 0 ? digit : end;
        }

        return end + 1;
    }

    private static void Put2(Span<byte> to, int value)
    {
        to[0] = (byte)('0' + (value / 10));
        to[1] = (byte)('0' + (value % 10));
    }
}
