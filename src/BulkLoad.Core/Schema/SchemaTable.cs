namespace BulkLoad.Core.Schema;

/// <summary>A column as CREATE TABLE has it.</summary>
/// <param name="Type">DATA_TYPE, in lower case; aliases are resolved</param>
/// <param name="Numbers">in the parentheses behind the type</param>
internal sealed record SchemaColumn(string Name, string Type, IReadOnlyList<int> Numbers)
{
    /// <summary>ENUM and SET.</summary>
    public IReadOnlyList<string> Labels { get; init; } = [];

    public bool IsUnsigned { get; init; }

    public bool IsZerofill { get; init; }

    /// <summary>Null: the table's.</summary>
    public string? Charset { get; init; }

    /// <summary>Null: the character set's own, or the table's.</summary>
    public string? Collation { get; init; }

    /// <summary>Whether it is compared by its character set's binary collation.</summary>
    public bool IsBinaryCollated { get; init; }

    public bool IsNullable { get; init; } = true;

    /// <summary>Whether the text says NULL or NOT NULL.</summary>
    public bool SaysNull { get; init; }

    public bool IsAutoIncrement { get; init; }

    /// <summary>The constant, or the expression; null: none, or NULL.</summary>
    public string? Default { get; init; }

    public bool IsDefaultExpression { get; init; }

    /// <summary>What a generated column is worked out from; null: it is none.</summary>
    public string? Generated { get; init; }

    public bool IsInvisible { get; init; }

    /// <summary>MariaDB's COMPRESSED, which its catalogue has with the type.</summary>
    public bool IsCompressed { get; init; }

    public uint Srid { get; init; }
}

/// <summary>A table as the statements of a schema make it.</summary>
internal sealed class SchemaTable(string? database, string name, string file)
{
    public string? Database { get; } = database;

    public string Name { get; } = name;

    /// <summary>Of the file that has it, for messages.</summary>
    public string File { get; } = file;

    public string Engine { get; set; } = "InnoDB";

    /// <summary>Null: the server's.</summary>
    public string? Charset { get; set; }

    /// <summary>Null: the character set's own.</summary>
    public string? Collation { get; set; }

    public List<SchemaColumn> Columns { get; } = [];

    /// <summary>Columns of the primary key; null: none.</summary>
    public IReadOnlyList<KeyPart>? Primary { get; set; }

    /// <summary>Unique keys but the primary one.</summary>
    public List<UniqueKey> Uniques { get; } = [];

    /// <summary>Names of all indexes, which no two have the same.</summary>
    public HashSet<string> IndexNames { get; } = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Those whose columns are not named refer to the primary key.</summary>
    public List<SeedReference> References { get; } = [];

    public bool HasChecks { get; set; }

    public bool CanLackPartition { get; set; }

    public bool IsVersioned { get; set; }

    /// <summary>Triggers as the plan names them.</summary>
    public List<string> InsertTriggers { get; } = [];

    /// <summary>Whether a statement of the schema puts rows into it.</summary>
    public bool HasRows { get; set; }

    public int IndexOf(string column) => Columns.FindIndex(one => one.Name.Equals(column, StringComparison.OrdinalIgnoreCase));

    /// <summary>Adds a unique key.</summary>
    /// <param name="name">null: that of its first column, with a number where that is taken</param>
    public void AddUnique(string? name, IReadOnlyList<KeyPart> parts) => Uniques.Add(new UniqueKey(AddIndex(name, parts), parts));

    /// <summary>Takes the name of an index.</summary>
    /// <returns>the name</returns>
    public string AddIndex(string? name, IReadOnlyList<KeyPart> parts)
    {
        var first = name ?? parts[0].Column ?? "functional_index";
        var free = first;
        for (var i = 2; name is null && IndexNames.Contains(free); i++)
        {
            free = $"{first}_{i}";
        }

        IndexNames.Add(free);
        return free;
    }

    /// <summary>As <c>CREATE TABLE ... LIKE</c> makes another: all but foreign keys and triggers.</summary>
    public SchemaTable Like(string? ofDatabase, string called)
    {
        var copy = new SchemaTable(ofDatabase, called, File)
        {
            Engine = Engine,
            Charset = Charset,
            Collation = Collation,
            Primary = Primary,
            HasChecks = HasChecks,
            CanLackPartition = CanLackPartition,
            IsVersioned = IsVersioned,
        };
        copy.Columns.AddRange(Columns);
        copy.Uniques.AddRange(Uniques);
        copy.IndexNames.UnionWith(IndexNames);
        return copy;
    }
}
