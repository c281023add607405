using System.Buffers;
using System.Buffers.Binary;
using System.Security.Cryptography;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Sending.Verifying;

/// <summary>A row's hash: SHA-256 of its values' forms with commas between, as <see cref="CompareSql"/> has the server compute
/// it.</summary>
/// <param name="columns">of a row's values, in their order; all of them are compared</param>
internal sealed class RowHash(IReadOnlyList<TableColumn> columns)
{
    private static readonly byte[] Null = "N"u8.ToArray();

    private readonly ValueForm[] _forms = [.. columns.Select(column => new ValueForm(column))];
    private readonly ArrayBufferWriter<byte> _text = new();

    /// <param name="block">holds the row, with a value or NULL in each column</param>
    /// <param name="hash">takes 32 bytes</param>
    public void Compute(RowBlock block, int row, Span<byte> hash)
    {
        _text.ResetWrittenCount();
        for (var column = 0; column < _forms.Length; column++)
        {
            _text.Write(column == 0 ? ""u8 : ","u8);
            WriteForm(_text, block, row, column);
        }

        SHA256.HashData(_text.WrittenSpan, hash);
    }

    /// <summary>The first and the second 64 bits of a hash, as numbers.</summary>
    public static (ulong First, ulong Second) Slices(ReadOnlySpan<byte> hash) =>
        (BinaryPrimitives.ReadUInt64BigEndian(hash), BinaryPrimitives.ReadUInt64BigEndian(hash[sizeof(ulong)..]));

    /// <summary>One value's form.</summary>
    public void WriteForm(IBufferWriter<byte> output, RowBlock block, int row, int column)
    {
        if (block.Get(row, column, out var value) == CellState.Value)
        {
            _forms[column].Write(output, value);
        }
        else
        {
            output.Write(Null);
        }
    }
}
