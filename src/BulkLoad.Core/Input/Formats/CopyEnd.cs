namespace BulkLoad.Core.Input.Formats;

/// <summary>The line <c>\.</c> that ends the data of PostgreSQL's COPY.</summary>
internal sealed class CopyEnd(string inputName)
{
    public static CopyEnd? For(Dialect dialect, string inputName) =>
        dialect.Format == InputFormat.Postgres ? new CopyEnd(inputName) : null;

    public static bool IsMark(ReadOnlySpan<byte> record) => record.SequenceEqual(@"\."u8);

    /// <summary>Throws if more than blanks and line ends follow, since it would be lost.</summary>
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
