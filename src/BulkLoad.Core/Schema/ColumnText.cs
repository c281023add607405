namespace BulkLoad.Core.Schema;

/// <summary>Reads a column of CREATE TABLE from its name on. Keys and checks go to <paramref name="table"/>.
/// <paramref name="addReference"/> reads on at REFERENCES.</summary>
internal sealed class ColumnText(SqlCursor cursor, SchemaTable table, Action<IReadOnlyList<string>> addReference)
{
    private static readonly Dictionary<string, string> Aliases = new(StringComparer.OrdinalIgnoreCase)
    {
        ["integer"] = "int",
        ["int1"] = "tinyint",
        ["int2"] = "smallint",
        ["int3"] = "mediumint",
        ["middleint"] = "mediumint",
        ["int4"] = "int",
        ["int8"] = "bigint",
        ["dec"] = "decimal",
        ["numeric"] = "decimal",
        ["fixed"] = "decimal",
        ["real"] = "double",
        ["float4"] = "float",
        ["float8"] = "double",
        ["character"] = "char",
        ["nchar"] = "char",
        ["nvarchar"] = "varchar",
        ["varcharacter"] = "varchar",
        ["geomcollection"] = "geometrycollection",
    };

    private static readonly string[] Moments = ["current_timestamp", "now", "localtime", "localtimestamp"];

    /// <summary>What may follow the type with <see cref="IsTypeOnly"/>.</summary>
    private static readonly string[] Plain =
        ["NOT", "NULL", "UNSIGNED", "SIGNED", "ZEROFILL", "CHARACTER", "CHAR", "CHARSET", "COLLATE", "DEFAULT"];

    private bool _isPrimary;
    private bool _isUnique;

    /// <summary>Whether keys, checks, comments and the like are refused.</summary>
    public bool IsTypeOnly { get; init; }

    public SchemaColumn Read()
    {
        var column = ReadType(cursor.Name());
        while (!cursor.IsAtEnd && !cursor.IsSign(',') && !cursor.IsSign(')') && !cursor.IsWord("FIRST") && !cursor.IsWord("AFTER"))
        {
            column = ReadAttribute(column);
        }

        KeyPart[] part = [new KeyPart(column.Name)];
        if (_isPrimary)
        {
            table.Primary = part;
        }

        if (_isUnique)
        {
            table.AddUnique(null, part);
        }

        return column;
    }

    public static void ReadCheck(SqlCursor cursor, SchemaTable table)
    {
        cursor.Parenthesized();
        var isOff = cursor.TryWords("NOT", "ENFORCED");
        cursor.TryWords("ENFORCED");
        table.HasChecks |= !isOff;
    }

    private SchemaColumn ReadType(string name)
    {
        var place = cursor.Fault("").Message;
        var written = cursor.Word();
        var isNational = written.Equals("national", StringComparison.OrdinalIgnoreCase);
        written = isNational ? cursor.Word() : written;
        isNational |= written.Equals("nchar", StringComparison.OrdinalIgnoreCase)
            || written.Equals("nvarchar", StringComparison.OrdinalIgnoreCase);
        var type = Aliases.GetValueOrDefault(written, written.ToLowerInvariant());
        switch (type)
        {
            case "serial" when !IsTypeOnly:
                _isUnique = true;
                return new SchemaColumn(name, "bigint", []) { IsUnsigned = true, IsNullable = false, IsAutoIncrement = true };
            case "bool" or "boolean":
                return new SchemaColumn(name, "tinyint", [1]);
            case "long":
                type = cursor.TryAny("varbinary", "binary") is not null ? "mediumblob" : "mediumtext";
                _ = cursor.TryAny("varchar", "varcharacter") ?? (cursor.TryWords("char", "varying") ? "" : null);
                break;
            case "double":
                cursor.TryWords("precision");
                break;
            case "char" when cursor.TryWords("varying"):
                type = "varchar";
                break;
            case "char" when isNational && cursor.TryAny("varchar", "varcharacter") is not null:
                type = "varchar";
                break;
            case "enum" or "set":
                return new SchemaColumn(name, type, []) { Labels = ReadLabels(cursor) };
        }

        if (ColumnBehaviour.Find(type).Kind == ColumnKind.Unsupported)
        {
            throw new PlanException($"{place}column '{name}': " + (written.Length == 0 ? $"a type was expected, and there is {cursor.Shown}"
                : $"type {written} is not known here{Names.DidYouMean(written, ColumnBehaviour.TypeNames)}"));
        }

        var numbers = new List<int>();
        if (cursor.TrySign('('))
        {
            do
            {
                numbers.Add(cursor.Number());
            }
            while (cursor.TrySign(','));
            cursor.Sign(')');
        }

        var column = new SchemaColumn(name, type, numbers) { Charset = isNational ? "utf8mb3" : null };
        return type switch
        {
            "float" when numbers is [> 24] => column with { Type = "double", Numbers = [] },
            "float" when numbers is [_] => column with { Numbers = [] },
            "varchar" or "varbinary" when numbers.Count == 0 =>
                throw new PlanException($"{place}column '{name}': {type} needs a length, such as {type}(40)"),
            "text" or "blob" when numbers is [var length] => column with { Type = Sized(type, length), Numbers = [] },
            _ => column,
        };
    }

    public static IReadOnlyList<string> ReadLabels(SqlCursor cursor)
    {
        var labels = new List<string>();
        cursor.Sign('(');
        do
        {
            // Blanks at the end of a label do not count (MySQL manual, "The ENUM Type").
            labels.Add(cursor.Text().TrimEnd(' '));
        }
        while (cursor.TrySign(','));
        cursor.Sign(')');
        return labels;
    }

    /// <summary>The smallest type for so many characters. A character of TEXT has up to four bytes.</summary>
    private string Sized(string type, long length)
    {
        var bytes = type == "text" ? length * (table.Charset is null or "utf8mb4" ? 4 : 1) : length;
        return ColumnBehaviour.Of(ColumnBehaviour.Find(type).Kind).Types.First(one => one.MaxBytes >= Math.Min(bytes, uint.MaxValue)).Name;
    }

    private SchemaColumn ReadAttribute(SchemaColumn column)
    {
        if (IsTypeOnly && !Plain.Any(cursor.IsWord))
        {
            throw cursor.Fault(
                $"column '{column.Name}': {cursor.Shown} cannot stand behind the type: "
                + "NULL, NOT NULL, UNSIGNED, CHARACTER SET, COLLATE and DEFAULT with a value can");
        }

        if (cursor.TryWords("NOT", "NULL"))
        {
            return column with { IsNullable = false, SaysNull = true };
        }

        if (cursor.TryWords("DEFAULT"))
        {
            return ReadDefault(column);
        }

        if (cursor.TryWords("CHARACTER", "SET") || cursor.TryWords("CHAR", "SET") || cursor.TryWords("CHARSET"))
        {
            return column with { Charset = CatalogRow.CharsetName(cursor.TryText(out var quoted) ? quoted : cursor.Name()) };
        }

        if (cursor.TryWords("COLLATE"))
        {
            return column with { Collation = CatalogRow.CollationName(cursor.TryText(out var quoted) ? quoted : cursor.Name()) };
        }

        if (cursor.TryWords("ON", "UPDATE"))
        {
            cursor.Any();
            _ = cursor.IsSign('(') ? cursor.Parenthesized() : null;
            return column;
        }

        if (cursor.TryWords("GENERATED", "ALWAYS", "AS") || cursor.TryWords("AS"))
        {
            return cursor.TryWords("ROW")
                ? column with { Generated = $"ROW {cursor.Any()}" }
                : column with { Generated = cursor.Parenthesized() };
        }

        if (cursor.TryWords("PRIMARY", "KEY") || cursor.TryWords("PRIMARY") || cursor.TryWords("KEY"))
        {
            _isPrimary = true;
            return column with { IsNullable = false };
        }

        if (cursor.IsWord("REFERENCES"))
        {
            addReference([column.Name]);
            return column;
        }

        if (cursor.TryWords("CONSTRAINT"))
        {
            _ = cursor.IsWord("CHECK") ? null : cursor.Name();
            return column;
        }

        if (cursor.TryWords("CHECK"))
        {
            ReadCheck(cursor, table);
            return column;
        }

        if (cursor.TryWords("REF_SYSTEM_ID") || cursor.TryWords("SRID"))
        {
            cursor.TrySign('=');
            return column with { Srid = (uint)cursor.Number() };
        }

        switch (cursor.TryAny(
            "UNSIGNED", "ZEROFILL", "AUTO_INCREMENT", "UNIQUE", "INVISIBLE", "BINARY", "NULL", "SIGNED", "VISIBLE", "VIRTUAL", "STORED",
            "PERSISTENT", "COMMENT", "COLUMN_FORMAT", "STORAGE", "ENGINE_ATTRIBUTE",
            "SECONDARY_ENGINE_ATTRIBUTE", "COMPRESSED", "ASCII", "UNICODE", "BYTE", "SERIAL", "WITH", "WITHOUT", "NOT"))
        {
            case "UNSIGNED":
                return column with { IsUnsigned = true };
            case "ZEROFILL":
                return column with { IsUnsigned = true, IsZerofill = true };
            case "AUTO_INCREMENT":
                return column with { IsAutoIncrement = true, IsNullable = false };
            case "UNIQUE":
                cursor.TryWords("KEY");
                _isUnique = true;
                return column;
            case "INVISIBLE":
                return column with { IsInvisible = true };
            case "BINARY":
                return column with { IsBinaryCollated = true };
            case "ASCII":
                return column with { Charset = "latin1" };
            case "UNICODE":
                return column with { Charset = "ucs2" };
            case "BYTE":
                return column with { Charset = "binary" };
            case "SERIAL":
                cursor.TryWords("DEFAULT", "VALUE");
                _isUnique = true;
                return column with { IsAutoIncrement = true, IsNullable = false };
            case "COMMENT":
                cursor.Text();
                return column;
            case "COLUMN_FORMAT" or "STORAGE":
                cursor.Any();
                return column;
            case "ENGINE_ATTRIBUTE" or "SECONDARY_ENGINE_ATTRIBUTE":
                cursor.TrySign('=');
                cursor.Text();
                return column;
            case "COMPRESSED":
                _ = cursor.TrySign('=') ? cursor.Any() : null;
                return column with { IsCompressed = true };
            case "WITH" or "WITHOUT" when cursor.TryWords("SYSTEM", "VERSIONING"):
                return column;
            case "NOT" when !IsTypeOnly && cursor.TryWords("SECONDARY"):
                return column;
            case "NULL":
                return column with { SaysNull = true };
            case "SIGNED" or "VISIBLE" or "VIRTUAL" or "STORED" or "PERSISTENT":
                return column;
            default:
                throw cursor.Fault($"column '{column.Name}': {cursor.Shown} is not known here behind a column's type");
        }
    }

    private SchemaColumn ReadDefault(SchemaColumn column)
    {
        if (cursor.TryWords("NULL"))
        {
            return column with { Default = null, IsDefaultExpression = false };
        }

        if (cursor.IsSign('('))
        {
            return column with { Default = cursor.Parenthesized(), IsDefaultExpression = true };
        }

        if (cursor.TryText(out var text))
        {
            return column with { Default = column.Type == "set" || column.Type == "enum" ? text.TrimEnd(' ') : text };
        }

        if (cursor.TryAny("TRUE", "FALSE") is { } truth)
        {
            return column with { Default = truth == "TRUE" ? "1" : "0" };
        }

        var sign = cursor.TrySign('-') ? "-" : cursor.TrySign('+') ? "" : "";
        if (cursor.IsSign('.'))
        {
            cursor.Any();
            return column with { Default = $"{sign}0.{cursor.Any()}" };
        }

        var first = cursor.Any();
        if (char.IsAsciiDigit(first[0]) && !first.StartsWith("0x", StringComparison.OrdinalIgnoreCase))
        {
            return column with { Default = sign + first };
        }

        // A call, such as uuid() or CURRENT_TIMESTAMP(6); or bits, such as b'01'.
        var isCall = cursor.IsSign('(');
        var expression = isCall ? $"{first}({cursor.Parenthesized()})" : cursor.TryText(out var bits) ? $"{first}'{bits}'" : first;
        return column with
        {
            Default = Moments.Contains(first, StringComparer.OrdinalIgnoreCase)
            ? "CURRENT_TIMESTAMP"
            : expression,
            IsDefaultExpression = true
        };
    }
}
