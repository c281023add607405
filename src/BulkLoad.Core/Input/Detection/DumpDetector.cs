namespace BulkLoad.Core.Input.Detection;

/// <summary>Finds files without a named format that a database wrote with backslashes: they have <c>\N</c> between tabs. Read as CSV, their
/// empty fields would be NULL, and their escapes text.</summary>
internal static class DumpDetector
{
    private const string MysqlWriter = "INTO OUTFILE of MySQL";

    private const string PostgresWriter = "COPY of PostgreSQL";

    private static WayOn AsMysql => new($"to read what {MysqlWriter} wrote") { Words = ["--format", "mysql"] };

    private static WayOn AsPostgres => new($"to read what {PostgresWriter} wrote") { Words = ["--format", "postgres"] };

    /// <summary>Throws for a script, and for a file without a header: only the user knows how it is escaped.</summary>
    public static void RequireNone(SourceHead head, SourceOptions options)
    {
        RequireNoScript(head, options);
        if (!head.Format.IsCsv() || options is not { Format: InputFormat.Auto, IsPinned: false }
            || options is not { Escape: null, Delimiter: null or '\t', HasHeader: not true })
        {
            return;
        }

        var signs = DumpSigns.Of(head.Bytes);
        if (signs.EndLine > 0)
        {
            throw new InputException($@"{head.Name}:{signs.EndLine}: holds the line \. that ends the data of {PostgresWriter}")
            {
                WaysOn = [AsPostgres],
            };
        }

        if (signs.NullLine == 0)
        {
            return;
        }

        var hasHeader = options.HasHeader is null && signs.NullLine > 1
            && head.TrySample(options with { Delimiter = '\t' }) is not null;
        if (!hasHeader)
        {
            throw new InputException(
                $@"{head.Name}:{signs.NullLine}: holds \N between tabs, as {signs.Writers} it{signs.Reason}, and no header")
            {
                WaysOn = [.. signs.WaysOn, new WayOn("if fields are enclosed in quotes") { Words = ["--format", "tsv"] }],
            };
        }
    }

    /// <summary>For a file whose names do not fit the table.</summary>
    public static DumpHint? HintFor(SourceHead head, SourceOptions options) =>
        head.Format.IsCsv() && options.Format == InputFormat.Auto
        && DumpSigns.Of(head.Bytes) is { NullLine: > 0 } signs
            ? new DumpHint($@"the file holds \N between tabs, as {signs.Writers} it{signs.Reason}", signs.WaysOn) : null;

    private static void RequireNoScript(SourceHead head, SourceOptions options)
    {
        if (options.Format is not (InputFormat.Auto or InputFormat.Postgres) || !head.Format.HasPlaces())
        {
            return;
        }

        var line = 0;
        var isScript = false;
        var bytes = head.Bytes;
        foreach (var range in bytes.Split((byte)'\n'))
        {
            line++;
            var text = bytes[range].Trim(" \t\r"u8);
            if (!isScript && !text.IsEmpty && !BeginsScript(text))
            {
                return;
            }

            isScript |= !text.IsEmpty;
            if (text.StartsWith("COPY "u8) && text.EndsWith("FROM stdin;"u8))
            {
                throw new InputException(
                    $"{head.Name}:{line}: is a script of pg_dump, and bulkload reads the data of one table: save that with " +
                    @"psql -c ""\copy TABLE to 'FILE.tsv'"", and read it with --format postgres");
            }
        }
    }

    private static bool BeginsScript(ReadOnlySpan<byte> line) => line.StartsWith("--"u8)
        || line.StartsWith("COPY "u8) || line.StartsWith(@"\restrict "u8);

    private sealed record DumpSigns(int NullLine, int EndLine, string? Mysql, string? Postgres)
    {
        public string Writers => (Mysql, Postgres) switch
        {
            ({ }, null) => $"{MysqlWriter} writes",
            (null, { }) => $"{PostgresWriter} writes",
            _ => $"{MysqlWriter} and {PostgresWriter} write",
        };

        public string Reason => (Mysql, Postgres) switch
        {
            ({ } sign, null) => $" ({sign})",
            (null, { } sign) => $" ({sign})",
            _ => "",
        };

        public IReadOnlyList<WayOn> WaysOn => (Mysql, Postgres) switch
        {
            ({ }, null) => [AsMysql],
            (null, { }) => [AsPostgres],
            _ => [AsMysql, AsPostgres],
        };

        /// <summary>Fields in quotes are left to the detection of quotes and escapes.</summary>
        public static DumpSigns Of(ReadOnlySpan<byte> bytes)
        {
            var (line, nullLine, endLine) = (0, 0, 0);
            string? mysql = null, postgres = null;
            var hasTabs = false;
            foreach (var range in bytes.Split((byte)'\n'))
            {
                line++;
                var text = bytes[range].TrimEnd((byte)'\r');
                if (text.SequenceEqual(@"\."u8))
                {
                    endLine = hasTabs ? line : 0;
                }

                if (!text.Contains((byte)'\t'))
                {
                    continue;
                }

                hasTabs = true;
                foreach (var field in text.Split((byte)'\t'))
                {
                    var value = text[field];
                    if (value is [(byte)'"', .., (byte)'"'])
                    {
                        return new DumpSigns(0, 0, null, null);
                    }

                    nullLine = nullLine == 0 && value.SequenceEqual(@"\N"u8) ? line : nullLine;
                    mysql ??= MysqlSign(value) is { } own ? $"{own} in line {line}" : null;
                    postgres ??= PostgresSign(value) is { } other ? $"{other} in line {line}" : null;
                }
            }

            return new DumpSigns(nullLine, endLine, mysql, postgres);
        }

        private static string? MysqlSign(ReadOnlySpan<byte> field) =>
            field.StartsWith("0000-00-00"u8) ? "0000-00-00"
            : field.IndexOf(@"\0"u8) >= 0 ? @"\0"
            : field.IndexOf(@"\Z"u8) >= 0 ? @"\Z"
            : null;

        private static string? PostgresSign(ReadOnlySpan<byte> field) =>
            field is [(byte)'t'] ? "t for true"
            : field is [(byte)'f'] ? "f for false"
            : field.StartsWith(@"\\x"u8) ? @"\\x of a bytea"
            : IsTimeWithShortOffset(field) ? "an offset of two digits"
            : null;

        /// <summary>Such as <c>2024-01-31 10:00:00.5+02</c>.</summary>
        private static bool IsTimeWithShortOffset(ReadOnlySpan<byte> field) =>
            field.Length > "2024-01-31 10:00:00".Length && field[4] == '-' && field[10] == ' ' && field[13] == ':'
            && field[^3] is (byte)'+' or (byte)'-' && char.IsAsciiDigit((char)field[^2]) && char.IsAsciiDigit((char)field[^1]);
    }
}

/// <summary>Why a database may have written the file, and the formats in which it may have done so.</summary>
internal sealed record DumpHint(string Text, IReadOnlyList<WayOn> WaysOn)
{
    public WayOn AsSentence => new($"{Text}: {string.Join(" or ", WaysOn.Select(way => string.Join(' ', way.Words)))}");
}
