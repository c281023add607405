using BulkLoad.Core.Schema;

namespace BulkLoad.Seeding;

/// <summary>Reads the definitions of CREATE TABLE, and the actions of ALTER TABLE.</summary>
/// <param name="cursor">behind the table's name</param>
internal sealed class TableChange(SqlCursor cursor, SchemaTable table)
{
    private const string WriteIt = "write the table as it is in the end (SHOW CREATE TABLE)";

    /// <summary>Actions of ALTER TABLE that change nothing for rows.</summary>
    private static readonly string[] Harmless =
        ["ENABLE", "DISABLE", "AUTO_INCREMENT", "ROW_FORMAT", "KEY_BLOCK_SIZE", "ALGORITHM", "LOCK", "STATS_PERSISTENT",
            "STATS_AUTO_RECALC", "STATS_SAMPLE_PAGES", "CHECKSUM", "FORCE", "MAX_ROWS", "MIN_ROWS", "AVG_ROW_LENGTH"];

    /// <summary>Reads all actions of ALTER TABLE.</summary>
    /// <exception cref="PlanException">an action cannot be understood; the message says where it is</exception>
    public void Read()
    {
        do
        {
            ReadAction();
        }
        while (cursor.TrySign(','));
        if (!cursor.IsAtEnd)
        {
            throw cursor.Fault($"table {table.Name}: {cursor.Shown} is not followed here: {WriteIt}");
        }
    }

    public void ReadDefinition()
    {
        if (!TryKey())
        {
            table.Columns.Add(ReadColumn());
        }
    }

    private void ReadAction()
    {
        if (cursor.TryWords("ADD"))
        {
            if (TryKey())
            {
                return;
            }

            cursor.TryWords("COLUMN");
            cursor.TryWords("IF", "NOT", "EXISTS");
            if (cursor.TrySign('('))
            {
                do
                {
                    ReadDefinition();
                }
                while (cursor.TrySign(','));
                cursor.Sign(')');
                return;
            }

            Place(ReadColumn(), table.Columns.Count);
        }
        else if (cursor.TryAny("MODIFY", "CHANGE") is { } verb)
        {
            cursor.TryWords("COLUMN");
            cursor.TryWords("IF", "EXISTS");
            var start = cursor.Place;
            var old = cursor.Name();
            if (verb == "MODIFY")
            {
                cursor.Place = start;
            }

            var at = table.IndexOf(old);
            if (at < 0)
            {
                throw cursor.Fault($"table {table.Name}: there is no column {old}");
            }

            var column = ReadColumn();
            if (!column.Name.Equals(old, StringComparison.OrdinalIgnoreCase))
            {
                throw cursor.Fault($"table {table.Name}: a column with another name is not followed here: {WriteIt}");
            }

            table.Columns.RemoveAt(at);
            Place(column, at);
        }
        else if (!SchemaReader.TryOption(cursor, table))
        {
            if (cursor.TryAny(Harmless) is null)
            {
                throw cursor.Fault($"table {table.Name}: {cursor.Shown} is not followed here: {WriteIt}");
            }

            cursor.SkipPart();
        }
    }

    private void Place(SchemaColumn column, int at)
    {
        if (cursor.TryWords("FIRST"))
        {
            at = 0;
        }
        else if (cursor.TryWords("AFTER"))
        {
            at = table.IndexOf(cursor.Name()) + 1;
        }

        table.Columns.Insert(at, column);
    }

    private SchemaColumn ReadColumn()
    {
        var column = new ColumnText(cursor, table, columns => ReadReference(null, columns)).Read();
        return (table.Primary ?? []).Any(part => column.Name.Equals(part.Column, StringComparison.OrdinalIgnoreCase))
            ? column with { IsNullable = false }
            : column;
    }

    /// <summary>Reads a key or a constraint; false: it is a column.</summary>
    private bool TryKey()
    {
        string? name = null;
        var start = cursor.Place;
        if (cursor.TryWords("CONSTRAINT"))
        {
            name = cursor.IsWord("PRIMARY") || cursor.IsWord("UNIQUE") || cursor.IsWord("FOREIGN") || cursor.IsWord("CHECK")
                ? null
                : cursor.Name();
        }

        if (cursor.TryWords("PRIMARY", "KEY"))
        {
            SchemaReader.SkipUsing(cursor);
            _ = cursor.IsSign('(') ? null : cursor.Name();
            SchemaReader.SkipUsing(cursor);
            table.Primary = SchemaReader.ReadParts(cursor, table);
            for (var i = 0; i < table.Columns.Count; i++)
            {
                table.Columns[i] = table.Primary.Any(part => table.Columns[i].Name.Equals(part.Column, StringComparison.OrdinalIgnoreCase))
                    ? table.Columns[i] with { IsNullable = false }
                    : table.Columns[i];
            }
        }
        else if (cursor.TryWords("FOREIGN", "KEY"))
        {
            cursor.TryWords("IF", "NOT", "EXISTS");
            var index = cursor.IsSign('(') ? null : cursor.Name();
            cursor.Sign('(');
            var columns = ReadNames();
            ReadReference(name ?? index, columns);
        }
        else if (cursor.TryWords("CHECK"))
        {
            ColumnText.ReadCheck(cursor, table);
        }
        else if (cursor.TryAny("UNIQUE", "FULLTEXT", "SPATIAL", "VECTOR", "INDEX", "KEY") is { } kind
            && (kind is "INDEX" or "KEY" or "UNIQUE" || cursor.IsWord("INDEX") || cursor.IsWord("KEY") || cursor.IsSign('(')
            || kind is "FULLTEXT" or "SPATIAL"))
        {
            _ = cursor.TryAny("INDEX", "KEY");
            cursor.TryWords("IF", "NOT", "EXISTS");
            SchemaReader.SkipUsing(cursor);
            var index = cursor.IsSign('(') ? name : cursor.Name();
            SchemaReader.SkipUsing(cursor);
            var parts = SchemaReader.ReadParts(cursor, table);
            if (kind == "UNIQUE")
            {
                table.AddUnique(index, parts);
            }
            else
            {
                table.AddIndex(index, parts);
            }
        }
        else if (cursor.TryWords("PERIOD", "FOR"))
        {
            cursor.SkipPart();
        }
        else
        {
            if (name is not null)
            {
                throw cursor.Fault($"table {table.Name}: constraint {name}: {cursor.Shown} is not known here");
            }

            cursor.Place = start;
            return false;
        }

        return true;
    }

    private List<string> ReadNames()
    {
        var names = new List<string>();
        do
        {
            names.Add(cursor.Name());
            _ = cursor.TryAny("ASC", "DESC");
        }
        while (cursor.TrySign(','));
        cursor.Sign(')');
        return names;
    }

    private void ReadReference(string? name, IReadOnlyList<string> columns)
    {
        if (!cursor.TryWords("REFERENCES"))
        {
            throw cursor.Fault($"REFERENCES was expected, and there is {cursor.Shown}");
        }

        var (database, parent) = cursor.TableName();
        IReadOnlyList<string> to = cursor.TrySign('(') ? ReadNames() : [];
        var rule = "RESTRICT";
        while (true)
        {
            if (cursor.TryWords("MATCH"))
            {
                cursor.Any();
            }
            else if (cursor.TryWords("ON", "DELETE"))
            {
                rule = ReadRule();
            }
            else if (cursor.TryWords("ON", "UPDATE"))
            {
                ReadRule();
            }
            else
            {
                break;
            }
        }

        table.References.Add(new ForeignKey(name ?? $"{table.Name}_ibfk_{table.References.Count + 1}", table.Database ?? "", table.Name,
            columns, database ?? table.Database ?? "", parent, to, rule));
    }

    private string ReadRule() =>
        cursor.TryWords("SET", "NULL") ? "SET NULL"
        : cursor.TryWords("SET", "DEFAULT") ? "SET DEFAULT"
        : cursor.TryWords("NO", "ACTION") ? "NO ACTION"
        : cursor.TryAny("CASCADE", "RESTRICT") ?? throw cursor.Fault($"a rule such as CASCADE was expected, and there is {cursor.Shown}");
}
