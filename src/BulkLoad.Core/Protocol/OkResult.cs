namespace BulkLoad.Core.Protocol;

/// <summary>A server's OK packet.</summary>
/// <param name="AffectedRows">rows touched, 64 bits</param>
/// <param name="LastInsertId">the first id that the server generated, or 0</param>
/// <param name="Warnings">warnings raised; the wire's count stops at 65,535</param>
/// <param name="Info">the human-readable text, such as <c>Records: 3  Deleted: 0  Skipped: 0  Warnings: 1</c>, or empty</param>
/// <param name="Status">the status flags (SERVER_STATUS_*)</param>
internal readonly record struct OkResult(ulong AffectedRows, ulong LastInsertId, ushort Warnings, string Info, ushort Status)
{
    /// <summary>Reads the numbers in <see cref="Info"/>: its words are in the server's language, the order of its numbers is not.</summary>
    /// <param name="numbers">filled from the start</param>
    /// <returns>how many there are, at most as many as are asked for; 0 where one is none that a server counts to</returns>
    public int ReadNumbers(Span<long> numbers)
    {
        var rest = Info.AsSpan();
        var count = 0;
        while (count < numbers.Length && rest.IndexOfAnyInRange('0', '9') is >= 0 and var start)
        {
            rest = rest[start..];
            var end = rest.IndexOfAnyExceptInRange('0', '9');
            var digits = end < 0 ? rest : rest[..end];
            if (!long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out numbers[count++]))
            {
                return 0;
            }

            rest = rest[digits.Length..];
        }

        return count;
    }
}
