using System.Buffers;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Input.Detection;

/// <summary>Recognises inputs that are no table: web pages, error messages, pointers, scripts, archives. Says what they are, and what to
/// do.</summary>
internal static class OtherContent
{
    private const int LongestStatus = 200;

    /// <summary>Limit of comments, empty lines and settings before the first statement of a script.</summary>
    private const int MaxScriptLines = 100;

    private static readonly SearchValues<byte> LineEnds = SearchValues.Create("\r\n"u8);

    /// <summary>First words of statements, and words that may follow them.</summary>
    private static readonly (string Word, string[] Next)[] Statements =
    [
        ("CREATE", ["TABLE", "DATABASE", "SCHEMA", "OR", "TEMPORARY"]), ("DROP", ["TABLE", "DATABASE", "SCHEMA", "VIEW"]),
        ("INSERT", ["INTO", "IGNORE"]), ("REPLACE", ["INTO"]), ("LOCK", ["TABLES"]), ("START", ["TRANSACTION;"]), ("ALTER", ["TABLE"]),
        ("TRUNCATE", ["TABLE"]), ("SET", ["NAMES", "@", "SQL_MODE", "FOREIGN_KEY_CHECKS", "AUTOCOMMIT", "TIME_ZONE"]),
    ];

    private static readonly string[] Titles = ["-- MySQL dump", "-- MariaDB dump", "-- phpMyAdmin SQL Dump", "-- Adminer ", "-- HeidiSQL"];

    private static readonly (string Word, string Next)[] SqliteStatements = [("PRAGMA", "FOREIGN_KEYS"), ("begin", "TRANSACTION;")];

    private static readonly string[] Statuses =
    [
        "404: not found", "404 not found", "404 page not found", "not found", "access denied", "access denied.", "forbidden",
        "403 forbidden",
        "unauthorized", "401 unauthorized", "bad request", "400 bad request", "bad gateway", "502 bad gateway", "internal server error",
        "500 internal server error", "service unavailable", "503 service unavailable", "gateway timeout", "gateway time-out",
        "504 gateway timeout", "504 gateway time-out", "too many requests", "429 too many requests", "429: too many requests",
        "400: invalid request", "method not allowed", "405 method not allowed",
    ];

    /// <summary>Throws for an input that cannot be loaded. Called where the user names no format.</summary>
    public static void RequireNone(SourceHead head, SourceOptions options)
    {
        if (options is not { Format: InputFormat.Auto or InputFormat.Keys, IsPinned: false, SkipLines: null or 0 }
            || !head.Format.Behaviour().IsText)
        {
            return;
        }

        var bytes = head.Bytes;
        if (OtherFiles.ByContent(bytes) is { } binary)
        {
            throw new InputException($"{head.Name}: {binary}");
        }

        if (TarMember(bytes) is { } member)
        {
            throw new InputException($"{head.Name}: is a tar archive, and bulkload reads one file")
            {
                WaysOn =
                [
                    new WayOn(
                        $"to load a file of it: tar -xOf {FileOf(head)} {ShellQuoting.Join([member])} | bulkload import - --table NAME"),
                ],
            };
        }

        var text = bytes.TrimStart(" \t\r\n"u8);
        var end = text.IndexOfAny(LineEnds);
        var line = end < 0 ? text : text[..end];
        if (FindKnown(head, options, text, line) is { } known)
        {
            throw known;
        }

        if (IsBinary(bytes))
        {
            throw new InputException($"{head.Name}: is binary, and no text that holds records");
        }
    }

    private static InputException? FindKnown(
        SourceHead head, SourceOptions options, ReadOnlySpan<byte> text, ReadOnlySpan<byte> line)
    {
        var name = head.Name;
        if (line.StartsWith("version https://git-lfs.github.com/spec/"u8))
        {
            return new InputException($"{name}: is a pointer of Git LFS, and not the file itself")
            {
                WaysOn = [new WayOn($"to get the file: git lfs pull --include {FileOf(head)}")],
            };
        }

        if (IsPage(text))
        {
            return new InputException(
                $"{name}: is a web page (HTML), such as a login or an error, and no data: look at the address it came from");
        }

        if (IsXml(text))
        {
            return new InputException($"{name}: is XML{ErrorIn(text)}; bulkload reads CSV, TSV and JSON: save it as one of these");
        }

        if (line.StartsWith("HTTP/1."u8) || line.StartsWith("HTTP/2"u8))
        {
            return new InputException(
                $"{name}: begins with the head of an answer by HTTP, {FieldText.Show(line)}: save the body alone (curl without -i)");
        }

        if (LogFields(text) is { } fields && options is { Comment: null, Delimiter: null })
        {
            return new InputException($"{name}: is a log in the W3C form, whose names are in its line #Fields")
            {
                WaysOn =
                [
                    new WayOn("to read it so")
                    {
                        Words = ["--comment", "#", "--delimiter", " ", "--no-header", "--columns", string.Join(',', fields)],
                    },
                ],
            };
        }

        if (head.Format.IsCsv() && JsonText.Find(text) is { } json)
        {
            return json.Error is { } error
                ? new InputException($"{name}: is JSON with an error, {FieldText.Show(Encoding.UTF8.GetBytes(error))}, and no data")
                : new InputException($"{name}: is JSON, though its name does not say so")
                {
                    WaysOn = [new WayOn("to read it so") { Words = ["--format", json.IsLines ? "jsonl" : "json"] }],
                };
        }

        return WriterOf(line) is { } writer ? new InputException($"{name}: is a message of {writer}, and no data: {FieldText.Show(line)}")
            : IsStatus(text, line) ? new InputException(
                $"{name}: holds only {FieldText.Show(line)}, an answer of a web server, and no data")
            : ScriptOf(text) is { } script ? Script(head, script)
            : null;
    }

    /// <summary>The names of a log of IIS and the like; null: it is none.</summary>
    private static string[]? LogFields(ReadOnlySpan<byte> text)
    {
        while (text.StartsWith("#"u8))
        {
            var end = text.IndexOfAny(LineEnds);
            var line = end < 0 ? text : text[..end];
            if (line.StartsWith("#Fields: "u8))
            {
                return Encoding.UTF8.GetString(line["#Fields: ".Length..]).Split(' ', StringSplitOptions.RemoveEmptyEntries);
            }

            text = end < 0 ? [] : text[end..].TrimStart("\r\n"u8);
        }

        return null;
    }

    private static InputException Script(SourceHead head, string database) => new(
        $"{head.Name}: is {(database.Length == 0 ? "an SQL dump" : $"an SQL dump of {database}")}, and bulkload loads data, not statements")
    {
        WaysOn = database == "PostgreSQL"
            ? [new WayOn(@"to save a table as text there: psql -c ""\copy TABLE to 'FILE.tsv'""; --format postgres reads it")]
            : database.Length > 0 ? [new WayOn("save each table as CSV there, and load that")]
            : [new WayOn($"to run it in the server: mysql DATABASE < {FileOf(head)}")],
    };

    private static string FileOf(SourceHead head) => head.HasPath ? ShellQuoting.Join([head.Name]) : "FILE";

    private static bool IsPage(ReadOnlySpan<byte> text) =>
        Begins(text, "<!doctype html"u8) || Begins(text, "<html"u8) || Begins(text, "<head"u8) || Begins(text, "<body"u8)
        || Begins(text, "<script"u8) || Begins(text, "<title"u8) || Begins(text, "<!doctype"u8)
        || ((text.StartsWith("<!--"u8) || text.StartsWith("<?xml"u8)) && IndexOf(text[..Math.Min(text.Length, 4096)], "<html"u8) >= 0);

    /// <summary>Whether the text is an element, and its end or another one.</summary>
    private static bool IsXml(ReadOnlySpan<byte> text) => text.StartsWith("<?xml"u8)
        || (text is [(byte)'<', var letter, ..] && char.IsAsciiLetter((char)letter) && text.IndexOf((byte)'>') is > 0 and var close
            && text[(close + 1)..].TrimStart(" \t\r\n"u8).StartsWith("<"u8));

    /// <summary>The message of an object store's error document.</summary>
    private static string ErrorIn(ReadOnlySpan<byte> text) =>
        text.IndexOf("<Error>"u8) >= 0 && text.IndexOf("<Message>"u8) is >= 0 and var at && text[(at + 9)..] is var message
            && message.IndexOf((byte)'<') is > 0 and var end ? $" with an error, {FieldText.Show(message[..end])}" : "";

    private static string? WriterOf(ReadOnlySpan<byte> line) =>
        line.StartsWith("curl: ("u8) ? "curl"
        : line.StartsWith("  % Total"u8) || line.StartsWith("% Total"u8) ? "curl"
        : line.StartsWith("wget: "u8) || (line.StartsWith("--"u8) && line.Length > 5 && char.IsAsciiDigit((char)line[2])
            && line.IndexOf("://"u8) > 0) ? "wget"
        : line.StartsWith("ERROR "u8) && line.Length > 10 && char.IsAsciiDigit((char)line[6]) && line.IndexOf((byte)')') > 0 ? "mysql"
        : line.StartsWith("mysqldump: "u8) ? "mysqldump"
        : line.StartsWith("mysql: "u8) ? "mysql"
        : line.StartsWith("psql: "u8) ? "psql"
        : line.StartsWith("bash: "u8) || line.StartsWith("sh: "u8) || line.StartsWith("/bin/sh: "u8) || line.StartsWith("zsh: "u8)
            ? "a shell"
        : line.StartsWith("Traceback (most recent call last):"u8) ? "Python"
        : line.EndsWith(": No such file or directory"u8) || line.EndsWith(": Permission denied"u8) ? "another program"
        : line.StartsWith("fatal error: An error occurred ("u8) || line.StartsWith("An error occurred ("u8) ? "aws"
        : null;

    /// <summary>Whether the text is nothing but the words of an HTTP status.</summary>
    private static bool IsStatus(ReadOnlySpan<byte> text, ReadOnlySpan<byte> line)
    {
        if (text.Length > LongestStatus || text[line.Length..].IndexOfAnyExcept(" \t\r\n"u8) >= 0)
        {
            return false;
        }

        var words = Encoding.UTF8.GetString(line).TrimEnd();
        return Statuses.Contains(words, StringComparer.OrdinalIgnoreCase);
    }

    /// <summary>Empty: of MySQL, MariaDB, or unknown. Null: no script. A script of pg_dump has its own text.</summary>
    private static string? ScriptOf(ReadOnlySpan<byte> text)
    {
        for (var lines = 0; lines < MaxScriptLines && !text.IsEmpty; lines++)
        {
            var end = text.IndexOfAny(LineEnds);
            var line = (end < 0 ? text : text[..end]).Trim(" \t"u8);
            var start = Encoding.Latin1.GetString(line[..Math.Min(line.Length, 80)]);
            if (Titles.Any(title => start.StartsWith(title, StringComparison.Ordinal)))
            {
                return "";
            }

            if (start.StartsWith("-- PostgreSQL", StringComparison.Ordinal))
            {
                return "PostgreSQL";
            }

            var words = start.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (words is [var one, var next, ..]
                && SqliteStatements.Any(known => Is(one, known.Word) && next.StartsWith(known.Next, StringComparison.OrdinalIgnoreCase)))
            {
                return "SQLite";
            }

            if (line.StartsWith("/*!"u8) || line.StartsWith("/*M!"u8) || (words is [var verb, var what, ..] && Statements.Any(
                known => Is(verb, known.Word) && known.Next.Any(word => what.StartsWith(word, StringComparison.OrdinalIgnoreCase)))))
            {
                return IsStatement(text, start) ? "" : null;
            }

            if (line.Length > 0 && !line.StartsWith("--"u8))
            {
                return null;
            }

            text = end < 0 ? [] : text[(end + 1)..];
        }

        return null;
    }

    private static bool Is(string word, string known) => word.Equals(known, StringComparison.OrdinalIgnoreCase);

    /// <summary>Whether the text is a statement, and not the title of a column that begins like one.</summary>
    private static bool IsStatement(ReadOnlySpan<byte> text, string start) =>
        start.StartsWith("/*", StringComparison.Ordinal) || text[..Math.Min(text.Length, 64 * 1024)].IndexOf((byte)';') > 0;

    /// <summary>The name of the first file in a tar archive (POSIX, ustar).</summary>
    private static string? TarMember(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < 512 || !bytes[257..].StartsWith("ustar"u8))
        {
            return null;
        }

        var name = bytes[..100];
        return Encoding.UTF8.GetString(name[..(name.IndexOf((byte)0) is >= 0 and var end ? end : name.Length)]);
    }

    /// <summary>Whether there are bytes that no text has. NUL and 1 do not count: they may be dirt, or flags.</summary>
    private static bool IsBinary(ReadOnlySpan<byte> bytes)
    {
        var first = bytes[..Math.Min(bytes.Length, 4096)];
        var controls = 0;
        foreach (var one in first)
        {
            controls += one is > 1 and < 0x20 and not ((byte)'\t' or (byte)'\n' or (byte)'\r' or (byte)'\f' or 0x1B or 0x1A) ? 1 : 0;
        }

        return first.Length >= 64 && controls * 6 > first.Length && !System.Text.Unicode.Utf8.IsValid(first);
    }

    private static bool Begins(ReadOnlySpan<byte> text, ReadOnlySpan<byte> lowerCase) =>
        text.Length >= lowerCase.Length && System.Text.Ascii.EqualsIgnoreCase(text[..lowerCase.Length], lowerCase);

    private static int IndexOf(ReadOnlySpan<byte> text, ReadOnlySpan<byte> lowerCase)
    {
        for (var at = 0; at + lowerCase.Length <= text.Length; at++)
        {
            if (Begins(text[at..], lowerCase))
            {
                return at;
            }
        }

        return -1;
    }
}
