using System.Buffers;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>Statements that keep rows as they were before a job changed them, and as it has left them, in tables beside theirs. They find
/// the rows by the job's keys, and run in the transaction that changes the rows. Values are copied as they are stored: with the session's
/// modes a date that they forbid could not be kept. Pure.</summary>
/// <param name="before">the table of the rows as they were</param>
/// <param name="keys">writes keys; of the target</param>
/// <param name="index">of the target, by which the keys are found; null: none</param>
/// <param name="where">of rows that the job does not change otherwise; null: of all</param>
/// <param name="inUtc">whether TIMESTAMP values are copied in UTC</param>
internal sealed class ImageSql(
    TableFacts table, string before, string? after, KeySql keys, string? index, string? where, bool isMariaDb, bool inUtc = false)
{
    /// <summary>Before the first rows of a batch are kept.</summary>
    public const string Savepoint = "SAVEPOINT bulkload_images";

    /// <summary>Nothing of the batch is kept, since nothing of it was changed.</summary>
    public const string RollBack = "ROLLBACK TO SAVEPOINT bulkload_images";

    /// <summary>An empty text is none for MySQL's hint.</summary>
    private const string Modes = "NO_AUTO_VALUE_ON_ZERO";

    private readonly string _t = table.QuotedName;
    private readonly string _before = SqlName.Quote(table.Database, before);
    private readonly string _columns = string.Join(',', Stored(table).Select(SqlName.Quote));
    private readonly string _values =
        string.Join(',', Stored(table).Select(column => $"{table.QuotedName}.{SqlName.Quote(column)}"));
    private readonly string _from = $"FROM {table.QuotedName}{(index is null ? "" : $" FORCE INDEX ({SqlName.Quote(index)})")}";

    /// <summary>Columns that have a value of their own.</summary>
    public static IEnumerable<string> Stored(TableFacts table) =>
        table.Columns.Where(column => !column.IsGenerated).Select(column => column.Name);

    /// <summary>Gives the table of the rows as the job has left them a column that marks those that it has inserted.</summary>
    public static string AddMark(TableFacts table, string after) =>
        $"ALTER TABLE {SqlName.Quote(table.Database, after)} ADD COLUMN {SqlName.Quote(MarkOf(table))} TINYINT NOT NULL";

    /// <summary>A name that no column of the table has.</summary>
    public static string MarkOf(TableFacts table) => table.FreeName("bulkload_new");

    /// <summary>Keeps the rows as they are, and lets nobody else change them. A row that was kept before stays as it was then.</summary>
    public void WriteBefore(int count, KeyValue get, IBufferWriter<byte> output)
    {
        Write(output, $"{Copying("INSERT")} INTO {_before} ({_columns}) SELECT {_values} {_from} WHERE ");
        keys.WriteMatch(count, get, output);
        var first = $"{_before}.{SqlName.Quote(table.PrimaryKey[0])}";
        Write(output, $"{(where is null ? "" : $" AND ({where})")} FOR UPDATE ON DUPLICATE KEY UPDATE {first}={first}");
    }

    /// <summary>Keeps the rows as the job has left them.</summary>
    public void WriteAfter(int count, KeyValue get, IBufferWriter<byte> output)
    {
        Write(output, $"{Copying("REPLACE")} INTO {SqlName.Quote(table.Database, after!)} ({_columns}) SELECT {_values} {_from} WHERE ");
        keys.WriteMatch(count, get, output);
    }

    /// <summary>Keeps the rows as the job has left them, and whether it has inserted them: what is inserted and changed later by the same
    /// job stays inserted.</summary>
    public void WriteAfterInsert(int count, KeyValue get, IBufferWriter<byte> output)
    {
        var into = SqlName.Quote(table.Database, after!);
        Write(output, $"{Copying("INSERT")} INTO {into} ({_columns},{SqlName.Quote(MarkOf(table))}) SELECT {_values},"
            + $"b.{SqlName.Quote(table.PrimaryKey[0])} IS NULL {_from} LEFT JOIN {_before} b ON "
            + $"{JoinSql.On("b", table.PrimaryKey, _t, table.PrimaryKey)} WHERE ");
        keys.WriteMatch(count, get, output);
        var set = Stored(table).Select(SqlName.Quote).Select(column => $"{into}.{column}={_t}.{column}");
        Write(output, $" ON DUPLICATE KEY UPDATE {string.Join(',', set)}");
    }

    /// <summary>Rows that are still there were not deleted, and need no image.</summary>
    public void WriteForget(int count, KeyValue get, IBufferWriter<byte> output)
    {
        Write(output, $"DELETE {_before} FROM {_t} JOIN {_before} ON {JoinSql.On(_before, table.PrimaryKey, _t, table.PrimaryKey)} WHERE ");
        keys.WriteMatch(count, get, output);
    }

    /// <summary>A statement that copies values to a column of the same type, byte by byte.</summary>
    /// <param name="inUtc">for MySQL, which copies a TIMESTAMP by its time in the session's zone</param>
    public static string Copying(string verb, bool isMariaDb, bool inUtc = false) => isMariaDb
        ? $"SET STATEMENT sql_mode='{Modes}',check_constraint_checks=0 FOR {verb}"
        : $"{verb} /*+ SET_VAR(sql_mode='{Modes}'){(inUtc ? " SET_VAR(time_zone='+00:00')" : "")} */";

    private string Copying(string verb) => Copying(verb, isMariaDb, inUtc);

    private static void Write(IBufferWriter<byte> output, string text) => Encoding.UTF8.GetBytes(text, output);
}
