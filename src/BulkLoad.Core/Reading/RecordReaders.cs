namespace BulkLoad.Core.Reading;

/// <summary>The only list of formats.</summary>
internal static class RecordReaders
{
    /// <summary>A reader that stands before the first record: the skipped lines and the header are behind it.</summary>
    /// <param name="input">untouched so far (but for looking ahead); stays the caller's</param>
    /// <param name="options">what the user said</param>
    /// <param name="look">what was seen in the input</param>
    /// <exception cref="InputException">the header cannot be read, or is not the one that was seen</exception>
    /// <exception cref="RequestException">the options contradict each other</exception>
    public static IRecordReader Create(InputFile input, SourceOptions options, SourceLook look)
    {
        var dialect = Dialect.Of(options with { Delimiter = options.Delimiter ?? look.Delimiter }, look.Format);
        var start = new ReaderStart(
            input.Name, input.ContentOffset, FieldCount: look.FieldNames is null ? look.FieldCount : 0, Origin: input.Origin);
        var reader = Create(input.Content, start, dialect, look.FieldNames);
        if (reader.FieldNames is { } names && !names.SequenceEqual(look.FieldNames ?? []))
        {
            reader.Dispose();
            throw new InputException(
                $"{input.Name}: the header has changed since the file was first looked at; run the command again when nothing writes to it");
        }

        return reader;
    }

    /// <summary>As above, on any UTF-8 bytes.</summary>
    /// <param name="content">stays the caller's</param>
    /// <param name="start">where the content begins, before any lines are skipped</param>
    /// <param name="dialect">how the records are written</param>
    /// <param name="keys">jsonl: what to deliver, in this order; null: all keys that come, by first appearance</param>
    public static IRecordReader Create(
        LookAheadStream content, ReaderStart start, Dialect dialect, IReadOnlyList<string>? keys)
    {
        var skipped = LineSkipper.Skip(content, dialect.SkipLines, new LineEnds(dialect.Newline));
        start = start with { ByteOffset = start.ByteOffset + skipped, LineNumber = start.LineNumber + dialect.SkipLines };
        if (dialect.Format == InputFormat.Jsonl)
        {
            return new JsonLinesReader(content, start, dialect, keys);
        }

        var reader = dialect.IsDelimited
            ? new DelimitedReader(content, start, dialect)
            : new ScanningReader(content, start, dialect);
        try
        {
            reader.Begin();
            return reader;
        }
        catch
        {
            reader.Dispose();
            throw;
        }
    }
}
