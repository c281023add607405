namespace BulkLoad.Core.Input.Formats;

/// <summary>The line <c>\.</c> that ends the data of PostgreSQL's COPY.</summary>
/// <param name="inputName">for messages</param>
internal sealed class CopyEnd(string inputName)
{
    /// <summary>Null where the format has no such line.</summary>
    public static CopyEnd? For(Dialect dialect, string inputName) =>
        dialect.Format == InputFormat.Postgres ? new CopyEnd(inputName) : null;

    public static bool IsMark(ReadOnlySpan<byte> record) => record.SequenceEqual(@"\."u8);

    /// <summary>Reads to the end of the input: what follows the mark would be lost in silence.</summary>
    /// <param name="buffer">begins behind the mark's line</param>
    /// <param name="line">of the buffer's first byte</param>
    /// <exception cref="InputException">more than blanks and line ends follows</exception>
    public void RequireNothingMore(RecordBuffer buffer, long line)
    {
        do
        {
            var rest = buffer.Unread;
            if (rest.IndexOfAnyExcept(" \t\r\n"u8) is >= 0 and var at)
            {
                line += rest[..at].Count((byte)'\n');
                throw new InputException(
                    $@"{inputName}:{line}: text follows the line \. that ends the data of COPY; an input holds one table's data: save it " +
                    @"with psql -c ""\copy TABLE to 'FILE'"", or remove all lines after the \.");
            }

            line += rest.Count((byte)'\n');
            buffer.Consume(rest.Length);
        }
        while (buffer.Fill());
    }
}
