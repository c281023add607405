namespace BulkLoad.Cli.Output;

/// <summary>What the server refuses, and what keys and comparisons do not find.</summary>
internal static class ServerCodes
{
    public static IReadOnlyList<HelpCode> All { get; } =
    [
        new("check-constraint", "A CHECK constraint of the table is not fulfilled.",
            "age 200 with CHECK (age < 150)", "Fix the value, or the constraint."),
        new("different-row", "The table has a row with the record's key, and other values.",
            "a row that was changed after it was loaded",
            "bulkload update FILE sets the file's values; bulkload verify FILE --reject-file differs.csv keeps these records."),
        new("duplicate-key", "The primary key or a unique key is in the table already, or in an earlier record.",
            "id 1 twice", "--on-duplicate ignore keeps the old row, update changes it, replace puts a new one in its place."),
        new("foreign-key", "The row that a foreign key refers to is missing. Of a delete: rows of another table refer to this one.",
            "city_id 9, and no city has the id 9",
            "Load the other table first; bulkload seed DIR finds the order by itself. Of a delete: delete the rows of the other table "
                + "first."),
        new("missing-row", "The table has no row with the record's key, or none with its values.",
            "a row that was deleted after it was loaded",
            "bulkload verify FILE --reject-file missing.csv keeps these records, and bulkload import loads them."),
        new("not-found", "No row has the key of an update or delete, or none that meets --where too.",
            "id 9 where the table has 1 to 8", "Fix the key. If it may be missing: --ignore-missing counts it instead."),
        new("refused-by-server", "The server has refused the record for another reason: its number and words are in the message.",
            "a partition that does not exist", "Look up the error's number in the server's manual."),
        new("several-rows", "Several rows have the record's key, so that it cannot be said which one is its own.",
            "bulkload verify --key name, and two rows have the name", "Name columns that distinguish records: --key id."),
        new("trigger-signal", "A trigger of the table has refused the row (SIGNAL).",
            "SIGNAL SQLSTATE '45000' in a BEFORE INSERT trigger", "Fix the value; the trigger's text is in the message."),
    ];
}

/// <summary>Why a check that asks no server cannot decide.</summary>
internal static class UndecidedCodes
{
    private const string Ask = "bulkload check FILE --on-server asks the server, and rolls everything back.";

    public static IReadOnlyList<HelpCode> All { get; } =
    [
        new("charset", "A column's character set is not known here.", "a column of the charset sjis", Ask),
        new("default-expression", "The server computes a column's default.", "DEFAULT (uuid())", Ask),
        new("generated-column", "The table has columns or keys that the server computes from others.",
            "total INT AS (price * count) UNIQUE", Ask),
        new("geometry", "Only the server knows whether a geometry is valid.", "POLYGON(...) into a column with an SRID", Ask),
        new("key-comparison",
            "A record could be a duplicate of an earlier one: only the column's collation says so, or the server makes the value.",
            "Stra\u00dfe and Strasse", Ask),
        new("partition", "A row may fit into none of the table's partitions.", "a year after the last partition", Ask),
        new("set-expression", "The server computes a column.", "--set \"name=upper(@n)\"", Ask),
        new("table-rows", "The table has rows, and may have one with the same key.", "a table that is not empty", Ask),
        new("time-zone", "It is not known whether a time exists, since the server's time zone is not known here.",
            "2024-03-31 02:30:00, an hour that some zones skip", $"--time-zone Europe/Berlin, or: {Ask}"),
        new("trigger", "The table has INSERT triggers, which may refuse a row.", "a BEFORE INSERT trigger", Ask),
    ];
}
