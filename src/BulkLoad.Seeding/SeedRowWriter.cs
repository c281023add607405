using System.Buffers;
using System.Buffers.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Unicode;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;

namespace BulkLoad.Seeding;

/// <summary>Writes rows from the server into a file that an import reads. CSV cannot have a NUL character: then nothing more is written,
/// and the rows must be asked for again as JSON lines.</summary>
internal abstract class SeedRowWriter : IRowSink
{
    private const int FlushAt = 1024 * 1024;

    private readonly Stream _file;
    private readonly string _table;

    protected SeedRowWriter(Stream file, string table, IReadOnlyList<TableColumn> columns)
    {
        (_file, _table) = (file, table);
        Columns = columns;
        Behaviours = [.. columns.Select(column => column.Behaviour)];
    }

    public long Rows { get; private set; }

    public long MaxBytes { get; private set; }

    /// <summary>Number of line ends in the value that has most.</summary>
    public int MaxLineEnds { get; private set; }

    /// <summary>Whether there is a date whose year, month or day is zero.</summary>
    public bool HasZeroDates { get; private set; }

    /// <summary>The format cannot hold a value: the file is of no use.</summary>
    public bool IsUnfit { get; private set; }

    protected IReadOnlyList<TableColumn> Columns { get; }

    /// <summary>In the order of the columns.</summary>
    protected ColumnBehaviour[] Behaviours { get; }

    protected ArrayBufferWriter<byte> Buffer { get; } = new(FlushAt);

    public void End()
    {
        _file.Write(Buffer.WrittenSpan);
        Buffer.ResetWrittenCount();
    }

    void IRowSink.AddColumn(ReadOnlySpan<byte> definition)
    {
    }

    void IRowSink.AddRow(ReadOnlySpan<byte> payload, int columns)
    {
        if (IsUnfit)
        {
            return;
        }

        var start = Buffer.WrittenCount;
        var reader = new PayloadReader(payload);
        BeginRow();
        for (var i = 0; i < Columns.Count; i++)
        {
            if (reader.TryReadValue(out var value))
            {
                Look(i, value);
                WriteValue(i, value);
            }
            else
            {
                WriteNull(i);
            }
        }

        EndRow();
        Rows++;
        MaxBytes = Math.Max(MaxBytes, Buffer.WrittenCount - start);
        if (Buffer.WrittenCount >= FlushAt)
        {
            End();
        }
    }

    protected abstract bool TakesNul { get; }

    protected abstract void BeginRow();

    protected abstract void WriteNull(int column);

    protected abstract void WriteValue(int column, ReadOnlySpan<byte> value);

    protected abstract void EndRow();

    protected void WriteHex(ReadOnlySpan<byte> value)
    {
        var room = Buffer.GetSpan(value.Length * 2);
        Convert.TryToHexStringLower(value, room, out var length);
        Buffer.Advance(length);
    }

    /// <summary>Writes hexadecimal digits; base64 for a VECTOR, as an import reads it.</summary>
    protected void WriteBytes(TableColumn column, ReadOnlySpan<byte> value)
    {
        if (column.VectorSize == 0)
        {
            WriteHex(value);
            return;
        }

        var room = Buffer.GetSpan(Base64.GetMaxEncodedToUtf8Length(value.Length));
        Base64.EncodeToUtf8(value, room, out _, out var length);
        Buffer.Advance(length);
    }

    private void Look(int column, ReadOnlySpan<byte> value)
    {
        if (Behaviours[column].Family == ColumnFamily.Date)
        {
            HasZeroDates |= value.Length >= 10
                && (value.StartsWith("0000"u8) || value[5..7].SequenceEqual("00"u8) || value[8..10].SequenceEqual("00"u8));
        }
        else if (Behaviours[column] is { IsUnquoted: false, Family: not ColumnFamily.Bytes })
        {
            if (!Utf8.IsValid(value))
            {
                throw new PlanException(
                    $"{_table}: row {Rows + 1}, column '{Columns[column].Name}': bytes that are not valid text in UTF-8, which no file can "
                    + "say: correct the value, or leave the table out with --only");
            }

            IsUnfit |= !TakesNul && value.Contains((byte)0);
            MaxLineEnds = Math.Max(MaxLineEnds, value.Count((byte)'\n') + value.Count((byte)'\r'));
        }
    }
}

/// <summary>Writes RFC 4180. Text is in quotes, so that it differs from NULL, which is <c>\N</c> without quotes.</summary>
internal sealed class CsvRowWriter : SeedRowWriter
{
    public CsvRowWriter(Stream file, string table, IReadOnlyList<TableColumn> columns)
        : base(file, table, columns)
    {
        for (var i = 0; i < columns.Count; i++)
        {
            Separate(i);
            var name = columns[i].Name;
            if (name.All(sign => char.IsAsciiLetterOrDigit(sign) || sign == '_') && char.IsAsciiLetter(name[0]))
            {
                Buffer.Write(Encoding.ASCII.GetBytes(name));
            }
            else
            {
                WriteQuoted(Encoding.UTF8.GetBytes(name));
            }
        }

        EndRow();
    }

    protected override bool TakesNul => false;

    protected override void BeginRow()
    {
    }

    protected override void WriteNull(int column)
    {
        Separate(column);
        Buffer.Write("\\N"u8);
    }

    protected override void WriteValue(int column, ReadOnlySpan<byte> value)
    {
        Separate(column);
        if (value.Length > 0 && Behaviours[column].IsUnquoted)
        {
            Buffer.Write(value);
        }
        else if (value.Length > 0 && Behaviours[column].Family == ColumnFamily.Bytes)
        {
            WriteBytes(Columns[column], value);
        }
        else
        {
            WriteQuoted(value);
        }
    }

    protected override void EndRow() => Buffer.Write("\n"u8);

    private void Separate(int column)
    {
        if (column > 0)
        {
            Buffer.Write(","u8);
        }
    }

    private void WriteQuoted(ReadOnlySpan<byte> value)
    {
        Buffer.Write("\""u8);
        for (var quote = value.IndexOf((byte)'"'); quote >= 0; quote = value.IndexOf((byte)'"'))
        {
            Buffer.Write(value[..(quote + 1)]);
            Buffer.Write("\""u8);
            value = value[(quote + 1)..];
        }

        Buffer.Write(value);
        Buffer.Write("\""u8);
    }
}

/// <summary>Writes an object a line; a document of MySQL's JSON is written as it is.</summary>
internal sealed class JsonRowWriter(Stream file, string table, IReadOnlyList<TableColumn> columns) : SeedRowWriter(file, table, columns)
{
    private readonly byte[][] _heads =
        [.. columns.Select((column, i) => (byte[])[(byte)(i == 0 ? '{' : ','), (byte)'"',
            .. JsonEncodedText.Encode(column.Name, JavaScriptEncoder.UnsafeRelaxedJsonEscaping).EncodedUtf8Bytes, (byte)'"', (byte)':'])];

    protected override bool TakesNul => true;

    protected override void BeginRow()
    {
    }

    protected override void WriteNull(int column)
    {
        Buffer.Write(_heads[column]);
        Buffer.Write("null"u8);
    }

    protected override void WriteValue(int column, ReadOnlySpan<byte> value)
    {
        Buffer.Write(_heads[column]);
        if (Columns[column].Kind == ColumnKind.Json)
        {
            Buffer.Write(value);
            return;
        }

        Buffer.Write("\""u8);
        if (Behaviours[column].Family == ColumnFamily.Bytes)
        {
            WriteBytes(Columns[column], value);
        }
        else
        {
            Buffer.Write(JsonEncodedText.Encode(value, JavaScriptEncoder.UnsafeRelaxedJsonEscaping).EncodedUtf8Bytes);
        }

        Buffer.Write("\""u8);
    }

    protected override void EndRow() => Buffer.Write("}\n"u8);
}
