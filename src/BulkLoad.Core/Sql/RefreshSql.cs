using System.Text.RegularExpressions;

namespace BulkLoad.Core.Sql;

/// <summary>Statements about a table that is made exactly the input, and about the tables beside it. RENAME TABLE of several tables is one
/// step on both servers (both manuals, "RENAME TABLE"), and crash-safe from MySQL 8.0 and MariaDB 10.6 on.</summary>
internal sealed class RefreshSql(string database)
{
    /// <summary>What the account needs, as GRANT writes it.</summary>
    public const string Rights = "SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP";

    /// <summary>A RENAME that waits holds up everybody behind it, so it waits a second at most.</summary>
    public const string WaitBriefly = "SET SESSION lock_wait_timeout=1";

    /// <summary>Sums rows, and lets nobody change or add one until the transaction ends.</summary>
    public static string Locking(string sum) => $"{sum} FOR UPDATE";

    /// <summary>In READ COMMITTED others could add rows behind a sum.</summary>
    public static IReadOnlyList<string> BeginChange { get; } =
        [TransactionSql.RollBack, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", "START TRANSACTION"];

    /// <summary>One value: 1, or 0 where another session has it.</summary>
    public static string Hold(string job) => $"SELECT GET_LOCK({SqlLiteral.Quote($"bulkload.{job}")}, 0)";

    /// <summary>The server takes no number below that of the last row.</summary>
    public string ContinueWith(string table, ulong next) => $"ALTER TABLE {Name(table)} AUTO_INCREMENT = {next}";

    public string Definition(string table) => $"SHOW CREATE TABLE {Name(table)}";

    /// <summary>A row a table: its name.</summary>
    /// <param name="pattern">for LIKE</param>
    public string Tables(string pattern) =>
        $"SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = {SqlLiteral.Quote(database)} "
        + $"AND TABLE_NAME LIKE {SqlLiteral.Quote(pattern)} ORDER BY TABLE_NAME";

    /// <summary>A row a foreign key or CHECK of the schema: its name.</summary>
    public string Constraints =>
        $"SELECT CONSTRAINT_NAME FROM information_schema.TABLE_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = {SqlLiteral.Quote(database)} "
        + "AND CONSTRAINT_TYPE IN ('FOREIGN KEY', 'CHECK')";

    /// <summary>A row a column with a histogram; MySQL only.</summary>
    public string Histograms(string table) =>
        $"SELECT COLUMN_NAME FROM information_schema.COLUMN_STATISTICS WHERE SCHEMA_NAME = {SqlLiteral.Quote(database)} "
        + $"AND TABLE_NAME = {SqlLiteral.Quote(table)}";

    /// <summary>A row for each that MariaDB keeps of the table by ANALYZE TABLE ... PERSISTENT.</summary>
    public string PersistentStatistics(string table)
    {
        var condition = $"WHERE db_name = {SqlLiteral.Quote(database)} AND table_name = {SqlLiteral.Quote(table)}";
        return $"SELECT 1 FROM mysql.table_stats {condition} UNION ALL SELECT 1 FROM mysql.column_stats {condition} LIMIT 1";
    }

    public string Count(string table) => RowCountSql.All(Name(table));

    /// <summary>Each name with the name that it gets.</summary>
    public string Rename(params (string From, string To)[] names) =>
        $"RENAME TABLE {string.Join(", ", names.Select(one => $"{Name(one.From)} TO {Name(one.To)}"))}";

    public string RemovePartitions(string table) => $"ALTER TABLE {Name(table)} REMOVE PARTITIONING";

    /// <summary>Each row must belong to the partition: the server looks.</summary>
    public string ExchangePartition(string table, string partition, string with) =>
        $"ALTER TABLE {Name(table)} EXCHANGE PARTITION {SqlName.Quote(partition)} WITH TABLE {Name(with)}";

    /// <summary>One row: how many rows a condition finds, and the least key of them as text.</summary>
    /// <param name="key">columns; empty: the table has none</param>
    public string FindRows(string table, string condition, IReadOnlyList<string> key)
    {
        var text = key.Count == 0 ? "NULL" : $"MIN(CONCAT_WS(', ', {SqlName.List(key)}))";
        return $"SELECT COUNT(*), {text} FROM {Name(table)} WHERE {condition}";
    }

    /// <summary>A row for each partition whose rows were written before a column was added or dropped; MySQL only. Tables whose names have
    /// signs are not found: the server writes those in a form of its own.</summary>
    public string InstantColumns(string table) =>
        "SELECT NAME FROM information_schema.INNODB_TABLES WHERE (INSTANT_COLS > 0 OR TOTAL_ROW_VERSIONS > 0) AND LOWER(NAME) LIKE "
        + $"LOWER({SqlLiteral.Quote($"{database}/{table}#p#%")}) LIMIT 1";

    /// <param name="table">quoted</param>
    public static string WriteRowsNew(string table) => $"ALTER TABLE {table} FORCE";

    public string Drop(string table) => $"DROP TABLE IF EXISTS {Name(table)}";

    public string Analyze(string table) => $"ANALYZE TABLE {Name(table)}";

    public string Name(string table) => SqlName.Quote(database, table);
}

/// <summary>Makes the statement of a table beside another one. Pure.</summary>
/// <param name="isMariaDb">MariaDB's names of CHECKs are a table's own; MySQL's are the schema's, as those of foreign keys are</param>
internal sealed partial class TwinText(string table, string twin, bool isMariaDb)
{
    /// <summary>The number that the next row gets; null: the statement has none.</summary>
    public static ulong? NextNumber(string definition) =>
        NextNumberOption().Match(OptionsOf(definition)) is { Success: true } found
            ? ulong.Parse(found.Groups[1].Value, CultureInfo.InvariantCulture) : null;

    /// <summary>Without what changes as rows come and go, or as the table gets another name: that of constraints follows.</summary>
    public static string Lasting(string table, string definition)
    {
        var (items, options) = TableText.Parts(definition);
        var lasting = items.Select(item => Named(item, table) is { } constraint ? constraint.Text : item);
        return $"({string.Join(",\n", lasting)}){NextNumberOption().Replace(options, _ => "", 1)}";
    }

    /// <param name="definition">the table's, as the server writes it</param>
    /// <param name="used">names of constraints in the schema</param>
    /// <param name="quotedTwin">with its schema</param>
    /// <param name="keepsOwn">whether references of the table to itself are kept; without them rows may come before those that they refer
    /// to</param>
    public string Create(string definition, IEnumerable<string> used, string quotedTwin, bool keepsOwn = true)
    {
        var names = new HashSet<string>(used, StringComparer.OrdinalIgnoreCase);
        var (items, _) = TableText.Parts(definition);
        var own = $" REFERENCES {SqlName.Quote(table)} (";
        var kept = items.Where(item => keepsOwn || !Constraint().IsMatch(item) || !item.Contains(own, StringComparison.Ordinal));
        var lines = kept.Select(item =>
        {
            var constraint = Constraint().Match(item);
            var isKey = constraint.Success && constraint.Groups[2].Value == "FOREIGN KEY";
            if (!constraint.Success || (!isKey && isMariaDb))
            {
                return item;
            }

            var name = Free(NameOf(constraint), names);
            item = $"CONSTRAINT {SqlName.Quote(name)} {item[constraint.Groups[2].Index..]}";
            return isKey ? ToItself(item, table, twin) : item;
        });
        return $"CREATE TABLE {quotedTwin} (\n{string.Join(",\n", lines)}\n){OptionsOf(definition)}";
    }

    /// <summary>The constraints of the table beside, each with the name that it has in the table; without those that have one name in
    /// both.</summary>
    /// <param name="definition">the table's, as the server writes it</param>
    /// <param name="twinDefinition">that of the table beside</param>
    public IReadOnlyList<(string Other, string Known)> Constraints(string definition, string twinDefinition)
    {
        var known = ConstraintsOf(table, definition).ToList();
        List<(string Other, string Known)> names = [];
        foreach (var (name, text) in ConstraintsOf(twin, twinDefinition))
        {
            if (known.FindIndex(one => one.Text == text) is >= 0 and var at)
            {
                names.Add((name, known[at].Name));
                known.RemoveAt(at);
            }
        }

        return [.. names.Where(one => one.Other != one.Known)];
    }

    private static IEnumerable<(string Name, string Text)> ConstraintsOf(string table, string definition) =>
        TableText.Parts(definition).Items.Select(item => Named(item, table)).OfType<(string, string)>();

    /// <summary>A foreign key or CHECK of a table: its name, and what is the same in a table of another name; null: the item is something
    /// else.</summary>
    private static (string Name, string Text)? Named(string item, string table) => Constraint().Match(item) is { Success: true } found
        ? (NameOf(found), ToItself(item[found.Groups[2].Index..], table, "")) : null;

    private static string NameOf(Match constraint) => constraint.Groups[1].Value.Replace("``", "`", StringComparison.Ordinal);

    /// <summary>What <see cref="Numbered"/> finds has these at most.</summary>
    private const int NumberCharacters = 4;

    /// <summary>A name that nothing has: another one with a number behind it, which goes the next time.</summary>
    private static string Free(string name, HashSet<string> used)
    {
        var stem = Numbered().Replace(name, _ => "");
        var free = stem;
        for (var number = 2; !used.Add(free); number++)
        {
            // What is cut to make room for the number stays cut: the names would be others each time.
            free = $"{SqlName.Fit(stem, SqlName.MaxCharacters - NumberCharacters)}__{number}";
        }

        return free;
    }

    /// <summary>A reference of the table to itself refers to the twin.</summary>
    private static string ToItself(string item, string table, string other)
    {
        var word = $"REFERENCES {SqlName.Quote(table)} (";
        var at = item.IndexOf(word, StringComparison.Ordinal);
        return at < 0 ? item : $"{item[..at]}REFERENCES {(other.Length == 0 ? "" : SqlName.Quote(other))} ({item[(at + word.Length)..]}";
    }

    [GeneratedRegex("__(?:[2-9]|[1-9][0-9])$", RegexOptions.CultureInvariant)]
    private static partial Regex Numbered();

    private static string OptionsOf(string definition) => TableText.Parts(definition).Options;

    [GeneratedRegex("^CONSTRAINT `((?:[^`]|``)+)` (FOREIGN KEY|CHECK)", RegexOptions.CultureInvariant)]
    private static partial Regex Constraint();

    /// <summary>Before the comment, which is the user's text.</summary>
    [GeneratedRegex("(?<=^[^']*) AUTO_INCREMENT=([0-9]+)", RegexOptions.CultureInvariant)]
    private static partial Regex NextNumberOption();
}
