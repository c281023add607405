using BulkLoad.Cli.Output;

namespace BulkLoad.Cli.Commands;

/// <summary>The text of <c>bulkload help TOPIC</c>: a screen each; the pages in docs have the rest.</summary>
/// <param name="Name">the word</param>
/// <param name="Lines">a line that begins with blanks is not wrapped</param>
internal sealed record HelpTopic(string Name, IReadOnlyList<string> Lines)
{
    public void Write(TextWriter to, int width)
    {
        foreach (var line in Lines)
        {
            foreach (var part in line.StartsWith(' ') ? [line] : LineWrap.Paragraph(line, width))
            {
                to.WriteLine(part);
            }
        }
    }
}

internal static class HelpTopics
{
    public static IReadOnlyList<HelpTopic> All { get; } =
    [
        new("connection",
        [
            "Where the settings come from, the nearest first: the command line; BULKLOAD_URL; the login path; option files; MYSQL_HOST, "
                + "MYSQL_TCP_PORT, MYSQL_UNIX_PORT, MYSQL_PWD.",
            "",
            "  bulkload import people.csv -h db.example.org -u app -p -D shop      -p alone asks for the password",
            "  bulkload import people.csv mysql://app@db.example.org:3306/shop     a word with :// is the connection",
            "  BULKLOAD_URL=mysql://app:secret@127.0.0.1/shop                      for CI and containers",
            "",
            "In a URL / : @ % ? of a password are written %2F %3A %40 %25 %3F. Option files are those of the MySQL clients (~/.my.cnf), "
                + "groups [client] and [bulkload].",
            "localhost is the unix socket where there is one; 127.0.0.1 is TCP.",
            "",
            "TLS: --ssl-mode preferred (the default) uses it if the server has it. If the network is not trusted, use verify-identity, or "
                + "verify-ca with --ssl-ca FILE.",
            "--wait 60s tries until the server has started.",
        ]),
        new("formats",
        [
            "  csv       comma, or another --delimiter; quotes doubled; a header (default)",
            "  tsv       the same with tabs",
            "  mysql     as mysql -B and SELECT ... INTO OUTFILE write it: tabs, backslashes, \\N, no header",
            "  postgres  the text form of PostgreSQL's COPY: tabs, backslashes, \\N, no header",
            "  jsonl     a JSON object a line; the names of its keys are the columns'",
            "  json      a JSON array of objects; --map address.city=city, --map tags[0]=tag take values from within",
            "",
            "The format is taken from the file's extension, else from its first bytes; --format says it. Delimiter, quotes, escapes and "
                + "header are detected, and the plan shows them: bulkload import FILE --plan.",
            "gzip, zstd, xz, bzip2 and a zip of one file are read as they are.",
            "Other encodings than UTF-8: --encoding latin1, utf-16, windows-1252.",
            "--write-spec FILE keeps what was detected; --spec FILE holds later files to it. More: docs/input.md.",
        ]),
        new("values",
        [
            "A value is stored exactly, or its record is refused with the reason. Nothing is cut, rounded or guessed.",
            "",
            "  NULL        \\N, and of csv and tsv an empty field without quotes in a column that may be NULL; --null-value TEXT adds "
                + "another word, --null-quoted takes them in quotes, too, --empty says what an empty field is",
            "  numbers     123, -1.5, 1e10; --decimal , --thousands . for 1.234,5; --currency EUR, --percent number; --round",
            "  dates       2024-01-31, 2024-01-31 10:00:00.5, and with Z or +02:00 (--time-zone says what others mean); "
                + "--date-format dd.MM.yyyy, --datetime-format 'M/d/yyyy h:mm tt', --time-format",
            "  truth       1 and 0; for TINYINT(1), BOOLEAN and BIT(1) also true/false, t/f, yes/no, y/n, on/off; "
                + "--true ja --false nein",
            "  binary      hex (default; mysql: raw), or --binary base64, --binary raw",
            "  others      --set \"born=str_to_date(@born,'%d.%m.%Y')\" --map born=@born lets the server work a value out",
            "",
            "bulkload check FILE --suggest reads all records, and prints the options that take them.",
            "Blanks around a value: --trim. Each column type's rules: docs/values.md. bulkload check FILE names all records that would be "
                + "refused.",
        ]),
        new("preview",
        [
            "--preview on import, update and delete says what the command would change, and writes nothing. "
                + "It runs on a copy of the rows that the records may touch.",
            "",
            "  bulkload import prices.csv --preview     counts, and 10 rows of each kind",
            "  bulkload update prices.csv --preview --preview-file all.csv     all rows",
            "  bulkload delete --ids gone.txt --preview",
            "",
            "If the command would stop at a record (--max-rejects), the first line says where "
                + "and what would be committed by then, and the counts are those of a larger limit. The exit code is that of the command.",
            "",
            "  --plan        strategy, columns, statements; no record is compared with rows",
            "  check FILE    which records would be refused, without the table's rows",
            "",
            "What triggers would do is not known, and they are named. More: docs/records.md.",
        ]),
        new("exit-codes", [.. ExitCodes.All.Select(exit => $"  {(int)exit.Code,-4}{exit.Meaning}")]),
    ];
}
