namespace BulkLoad.Core.Protocol;

/// <summary>The bytes of all values as they travelled, without lengths and NULL marks.</summary>
internal readonly record struct ResultTotals(long Rows, long Bytes);

/// <summary>A row of a prepared statement's result (MySQL client/server protocol, "Binary Protocol Resultset Row").</summary>
internal static class BinaryRow
{
    private const byte RowHeader = 0x00;

    // The first two bits of the NULL bitmap are not used in rows.
    private const int FirstNullBit = 2;

    /// <summary>Bytes of all values of a row. <paramref name="types"/> are MYSQL_TYPE_*.</summary>
    public static long Measure(ReadOnlySpan<byte> payload, ReadOnlySpan<byte> types)
    {
        var reader = new PayloadReader(payload);
        if (reader.ReadByte() != RowHeader)
        {
            throw ProtocolViolation.Of("an unknown packet came where a row should be");
        }

        var nulls = reader.ReadBytes((types.Length + FirstNullBit + 7) / 8);
        var bytes = 0L;
        for (var i = 0; i < types.Length; i++)
        {
            var bit = i + FirstNullBit;
            if ((nulls[bit >> 3] & (1 << (bit & 7))) == 0)
            {
                bytes += ReadValue(ref reader, types[i]).Length;
            }
        }

        return reader.Remaining == 0 ? bytes : throw ProtocolViolation.Of("a row is longer than its columns");
    }

    private static ReadOnlySpan<byte> ReadValue(ref PayloadReader reader, byte type) => type switch
    {
        0x06 => [],
        0x01 => reader.ReadBytes(1),
        0x02 or 0x0d => reader.ReadBytes(2),
        0x03 or 0x04 or 0x09 => reader.ReadBytes(4),
        0x05 or 0x08 => reader.ReadBytes(8),

        // Dates and times have a length of one byte, texts one that is encoded, which is the same below 251.
        _ => reader.ReadLengthEncodedBytes(),
    };
}
