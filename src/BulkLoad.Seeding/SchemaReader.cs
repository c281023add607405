using System.Text.RegularExpressions;
using BulkLoad.Core.Schema;

namespace BulkLoad.Seeding;

/// <summary>Reads the tables that a file of statements makes, as both servers' dump programs, SHOW CREATE TABLE and people write it.
/// Statements that make or change tables are read or refused; <see cref="Notes"/> names those that were skipped. Pure.</summary>
internal sealed partial class SchemaReader
{
    private static readonly string[] Harmless =
        "SET LOCK UNLOCK START BEGIN COMMIT ROLLBACK SELECT SHOW ANALYZE OPTIMIZE CHECK FLUSH GRANT REVOKE DO USE".Split(' ');

    private static readonly string[] Others = ["VIEW", "PROCEDURE", "FUNCTION", "EVENT", "USER", "ROLE", "SEQUENCE", "DATABASE", "SCHEMA",
        "SERVER", "TRIGGER", "PACKAGE", "TABLESPACE", "LOGFILE"];

    private readonly List<SchemaTable> _tables = [];
    private readonly List<string> _notes = [];
    private readonly string _file;

    private SchemaReader(string file, SqlDialect dialect) => (_file, Dialect) = (file, dialect);

    /// <summary>In the order in which the script makes them.</summary>
    public IReadOnlyList<SchemaTable> Tables => _tables;

    public IReadOnlyList<string> Notes => _notes;

    public SqlDialect Dialect { get; }

    /// <param name="statements">each with the line where it begins</param>
    /// <param name="file">its name for messages</param>
    /// <param name="dialect">null: it is detected from the text</param>
    /// <exception cref="PlanException">a statement about a table cannot be understood; the message says where it is</exception>
    public static SchemaReader Read(IReadOnlyList<(string Text, int Line)> statements, string file, SqlDialect? dialect = null)
    {
        var reader = new SchemaReader(
            file, dialect ?? (statements.Any(statement => OfMariaDb().IsMatch(statement.Text)) ? SqlDialect.MariaDb : SqlDialect.MySql));
        foreach (var (text, line) in statements)
        {
            reader.ReadStatement(new SqlCursor(text, line, file, reader.Dialect));
        }

        return reader;
    }

    /// <summary>The table of that name, else one whose name differs only in case.</summary>
    /// <param name="database">null: any</param>
    public SchemaTable? Find(string? database, string name)
    {
        var alike = _tables.Where(table => table.Name.Equals(name, StringComparison.OrdinalIgnoreCase)
            && (database is null || table.Database is null || table.Database == database)).ToList();
        var exact = alike.Where(table => table.Name == name).ToList();
        return exact.FirstOrDefault(table => table.Database == database)
            ?? (exact.Count == 1 ? exact[0] : exact.Count == 0 && alike.Count == 1 ? alike[0] : null);
    }

    private void ReadStatement(SqlCursor cursor)
    {
        if (cursor.TryWords("CREATE"))
        {
            ReadCreate(cursor);
        }
        else if (cursor.TryWords("ALTER"))
        {
            _ = cursor.TryAny("ONLINE", "OFFLINE");
            cursor.TryWords("IGNORE");
            if (cursor.TryWords("TABLE"))
            {
                cursor.TryWords("IF", "EXISTS");
                new TableChange(cursor, Required(cursor)).Read();
            }
            else
            {
                RequireOther(cursor, "ALTER");
            }
        }
        else if (cursor.TryWords("DROP"))
        {
            ReadDrop(cursor);
        }
        else if (cursor.TryAny("INSERT", "REPLACE") is { } verb)
        {
            ReadInsert(cursor, verb);
        }
        else if (cursor.TryAny("UPDATE", "DELETE", "LOAD", "CALL", "TRUNCATE", "WITH") is { } change)
        {
            _notes.Add($"{_file}:{cursor.Line}: {change} is not run: rows that it makes or changes are not known here");
        }
        else if (cursor.IsWord("RENAME"))
        {
            throw cursor.Fault("RENAME is not followed here: write the tables as they are in the end (SHOW CREATE TABLE)");
        }
        else if (!cursor.IsAtEnd && cursor.TryAny(Harmless) is null)
        {
            _notes.Add($"{_file}:{cursor.Line}: a statement that begins with {cursor.Shown} is not understood: what it does to tables is "
                + "not known here");
        }
    }

    private void ReadCreate(SqlCursor cursor)
    {
        var replaces = cursor.TryWords("OR", "REPLACE");
        if (cursor.TryWords("TEMPORARY", "TABLE"))
        {
            return;
        }

        if (cursor.TryWords("TABLE"))
        {
            var keeps = cursor.TryWords("IF", "NOT", "EXISTS");
            var (database, name) = cursor.TableName();
            if (_tables.Find(table => table.Name == name && table.Database == database) is { } there)
            {
                if (keeps)
                {
                    return;
                }

                if (!replaces)
                {
                    throw cursor.Fault($"table {name} is made twice");
                }

                _tables.Remove(there);
            }

            _tables.Add(ReadTable(cursor, database, name));
            return;
        }

        _ = cursor.TryWords("ONLINE") || cursor.TryWords("OFFLINE");
        var kind = cursor.TryAny("UNIQUE", "FULLTEXT", "SPATIAL", "VECTOR");
        if (cursor.TryWords("INDEX"))
        {
            cursor.TryWords("IF", "NOT", "EXISTS");
            var name = cursor.Name();
            SkipUsing(cursor);
            if (!cursor.TryWords("ON"))
            {
                throw cursor.Fault($"ON was expected, and there is {cursor.Shown}");
            }

            var table = Required(cursor);
            var parts = ReadParts(cursor, table);
            if (kind == "UNIQUE")
            {
                table.AddUnique(name, parts);
            }

            return;
        }

        if (kind is null)
        {
            ReadTrigger(cursor);
        }
    }

    private void ReadTrigger(SqlCursor cursor)
    {
        var line = cursor.Line;
        while (!cursor.IsAtEnd && !cursor.IsWord("TRIGGER") && !Others.Any(cursor.IsWord))
        {
            cursor.Any();
        }

        if (!cursor.TryWords("TRIGGER"))
        {
            if (cursor.IsAtEnd)
            {
                _notes.Add($"{_file}:{line}: a CREATE statement is not understood: what it makes is not known here");
            }

            return;
        }

        cursor.TryWords("IF", "NOT", "EXISTS");
        var (_, name) = cursor.TableName();
        var timing = cursor.TryAny("BEFORE", "AFTER");
        var change = cursor.TryAny("INSERT", "UPDATE", "DELETE");
        if (timing is null || change is null || !cursor.TryWords("ON"))
        {
            throw cursor.Fault($"trigger {name}: BEFORE or AFTER a change of a table was expected, and there is {cursor.Shown}");
        }

        var table = Required(cursor);
        if (change == "INSERT")
        {
            table.InsertTriggers.Add($"{name} ({timing} INSERT)");
        }
    }

    private SchemaTable ReadTable(SqlCursor cursor, string? database, string name)
    {
        var isInParentheses = cursor.Place;
        if (cursor.TryWords("LIKE") || (cursor.TrySign('(') && cursor.TryWords("LIKE")))
        {
            return Required(cursor).Like(database, name);
        }

        cursor.Place = isInParentheses;
        var table = new SchemaTable(database, name, _file);

        // The options behind the columns decide their character set.
        cursor.Sign('(');
        if (cursor.TryAny("SELECT", "WITH") is not null)
        {
            throw cursor.Fault(
                $"table {name}: its columns come from a query, which only a server can answer: write them out (SHOW CREATE TABLE)");
        }

        var change = new TableChange(cursor, table);
        do
        {
            change.ReadDefinition();
        }
        while (cursor.TrySign(','));
        cursor.Sign(')');
        ReadOptions(cursor, table);
        return table;
    }

    /// <summary>Reads the options behind the columns, and skips those that change nothing for rows.</summary>
    private static void ReadOptions(SqlCursor cursor, SchemaTable table)
    {
        while (!cursor.IsAtEnd)
        {
            if (cursor.TryWords("PARTITION", "BY"))
            {
                cursor.TryWords("LINEAR");
                table.CanLackPartition = cursor.IsWord("RANGE") || cursor.IsWord("LIST");
                while (!cursor.IsAtEnd)
                {
                    cursor.Any();
                }
            }
            else if (cursor.IsWord("SELECT") || cursor.IsWord("AS") || cursor.IsSign('('))
            {
                throw cursor.Fault(
                    $"table {table.Name}: columns come from a query, which only a server can answer: write them out (SHOW CREATE TABLE)");
            }
            else if (!TryOption(cursor, table))
            {
                cursor.Any();
                if (cursor.TrySign('='))
                {
                    _ = cursor.IsSign('(') ? cursor.Parenthesized() : cursor.Any();
                }
            }
        }
    }

    internal static bool TryOption(SqlCursor cursor, SchemaTable table)
    {
        cursor.TryWords("DEFAULT");
        if (cursor.TryWords("ENGINE") || cursor.TryWords("TYPE"))
        {
            cursor.TrySign('=');
            table.Engine = cursor.TryText(out var quoted) ? quoted : cursor.Name();
        }
        else if (cursor.TryWords("CHARSET") || cursor.TryWords("CHARACTER", "SET") || cursor.TryWords("CHAR", "SET"))
        {
            cursor.TrySign('=');
            table.Charset = CatalogRow.CharsetName(cursor.TryText(out var quoted) ? quoted : cursor.Name());
        }
        else if (cursor.TryWords("COLLATE"))
        {
            cursor.TrySign('=');
            table.Collation = CatalogRow.CollationName(cursor.TryText(out var quoted) ? quoted : cursor.Name());
        }
        else if (cursor.TryWords("WITH", "SYSTEM", "VERSIONING"))
        {
            table.IsVersioned = true;
        }
        else if (cursor.TryWords("COMMENT") || cursor.TryWords("CONNECTION") || cursor.TryWords("PASSWORD"))
        {
            cursor.TrySign('=');
            cursor.Text();
        }
        else
        {
            return false;
        }

        return true;
    }

    private void ReadDrop(SqlCursor cursor)
    {
        cursor.TryWords("TEMPORARY");
        if (cursor.TryAny("TABLE", "TABLES") is not null)
        {
            cursor.TryWords("IF", "EXISTS");
            do
            {
                var (database, name) = cursor.TableName();
                _tables.RemoveAll(table => table.Name == name && table.Database == database);
            }
            while (cursor.TrySign(','));
        }
        else if (cursor.IsWord("INDEX"))
        {
            throw cursor.Fault(
                "an index that is dropped is not followed here: write the tables as they are in the end (SHOW CREATE TABLE)");
        }
        else
        {
            RequireOther(cursor, "DROP");
        }
    }

    private void RequireOther(SqlCursor cursor, string verb)
    {
        var line = cursor.Line;
        while (!cursor.IsAtEnd && !Others.Any(cursor.IsWord))
        {
            cursor.Any();
        }

        if (cursor.IsAtEnd)
        {
            _notes.Add($"{_file}:{line}: a statement that begins with {verb} is not understood: what it does to tables is not known here");
        }
    }

    private void ReadInsert(SqlCursor cursor, string verb)
    {
        while (cursor.TryAny("LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED", "IGNORE", "INTO") is not null)
        {
        }

        var line = cursor.Line;
        var (database, name) = cursor.TableName();
        if (Find(database, name) is { HasRows: false } table)
        {
            table.HasRows = true;
            _notes.Add($"{_file}:{line}: {verb} puts rows into {table.Name}, which are not read: keys and foreign keys that they could be "
                + "in the way of, or hold, are undecided");
        }
    }

    private SchemaTable Required(SqlCursor cursor)
    {
        var (database, name) = cursor.TableName();
        return Find(database, name)
            ?? throw cursor.Fault($"table {name} is not made before{Names.DidYouMean(name, _tables.Select(table => table.Name))}");
    }

    /// <summary>Reads a key's columns with their prefixes and directions.</summary>
    internal static IReadOnlyList<KeyPart> ReadParts(SqlCursor cursor, SchemaTable table)
    {
        var parts = new List<KeyPart>();
        cursor.Sign('(');
        do
        {
            if (cursor.IsSign('('))
            {
                cursor.Parenthesized();
                parts.Add(new KeyPart(null));
            }
            else
            {
                var name = cursor.Name();
                int? prefix = null;
                if (cursor.TrySign('('))
                {
                    prefix = cursor.Number();
                    cursor.Sign(')');
                }

                if (cursor.TryWords("WITHOUT", "OVERLAPS"))
                {
                    throw cursor.Fault($"table {table.Name}: a key WITHOUT OVERLAPS is not known here");
                }

                parts.Add(new KeyPart(name, prefix));
            }

            _ = cursor.TryAny("ASC", "DESC");
        }
        while (cursor.TrySign(','));
        cursor.Sign(')');
        cursor.SkipPart();
        return parts;
    }

    internal static void SkipUsing(SqlCursor cursor)
    {
        if (cursor.TryAny("USING", "TYPE") is not null)
        {
            cursor.Any();
        }
    }

    [GeneratedRegex(
        @"ENGINE\s*=\s*Aria|/\*M!|DEFAULT (current_timestamp|uuid|curdate|curtime)\(\)|\bDEFAULT NULL CHECK \(json_valid"
        + @"|COLLATE[ =]\S*uca1400|\s(uuid|inet4|inet6)(\s+(NOT\s+)?NULL|\s+DEFAULT|\s*,)"
        + @"|PAGE_CHECKSUM|WITH SYSTEM VERSIONING|@OLD_NOTE_VERBOSITY",
        RegexOptions.CultureInvariant | RegexOptions.Multiline)]
    private static partial Regex OfMariaDb();
}
