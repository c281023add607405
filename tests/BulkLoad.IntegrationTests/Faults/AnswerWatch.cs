namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Finds the answer to a COMMIT in what a server says to one session: the first OK packet that says the session is in no
/// transaction.</summary>
internal sealed class AnswerWatch
{
    private const int HeaderLength = 4;
    private const int IsInTransaction = 1;

    /// <summary>Header, and the beginning of the payload as far as an OK packet is looked at.</summary>
    private readonly byte[] _start = new byte[HeaderLength + 22];
    private int _had;

    /// <summary>Takes bytes, which follow the former ones.</summary>
    /// <returns>whether a packet ended in them that says so</returns>
    public bool SaysCommitted(ReadOnlySpan<byte> bytes)
    {
        var saysSo = false;
        while (bytes.Length > 0)
        {
            var whole = _had < HeaderLength ? HeaderLength : HeaderLength + (_start[0] | (_start[1] << 8) | (_start[2] << 16));
            var count = Math.Min(bytes.Length, whole - _had);
            if (_had < _start.Length)
            {
                bytes[..Math.Min(count, _start.Length - _had)].CopyTo(_start.AsSpan(_had));
            }

            _had += count;
            bytes = bytes[count..];
            if (_had < HeaderLength || _had < HeaderLength + (_start[0] | (_start[1] << 8) | (_start[2] << 16)))
            {
                continue;
            }

            saysSo |= IsOkOutside(_start.AsSpan(HeaderLength, Math.Min(_had, _start.Length) - HeaderLength));
            _had = 0;
        }

        return saysSo;
    }

    private static bool IsOkOutside(ReadOnlySpan<byte> payload)
    {
        if (payload.Length < 7 || payload[0] != 0)
        {
            return false;
        }

        // The count of rows and the last id, each with a length before it where it is large.
        var at = 1;
        for (var number = 0; number < 2 && at < payload.Length; number++)
        {
            at += payload[at] switch { 0xFC => 3, 0xFD => 4, 0xFE => 9, _ => 1 };
        }

        return at < payload.Length && (payload[at] & IsInTransaction) == 0;
    }
}
