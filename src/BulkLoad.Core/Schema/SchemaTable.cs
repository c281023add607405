namespace BulkLoad.Core.Schema;

/// <summary>A column of CREATE TABLE. <paramref name="Type"/> is DATA_TYPE in lower case, without aliases; <paramref name="Numbers"/> are
/// in parentheses behind it.</summary>
internal sealed record SchemaColumn(string Name, string Type, IReadOnlyList<int> Numbers)
{
    public IReadOnlyList<string> Labels { get; init; } = [];

    public bool IsUnsigned { get; init; }

    public bool IsZerofill { get; init; }

    public string? Charset { get; init; }

    /// <summary>Null: the character set's default, or the table's.</summary>
    public string? Collation { get; init; }

    /// <summary>Compared by the binary collation of its character set.</summary>
    public bool IsBinaryCollated { get; init; }

    public bool IsNullable { get; init; } = true;

    public bool SaysNull { get; init; }

    public bool IsAutoIncrement { get; init; }

    /// <summary>A constant or an expression. Null: none, or NULL.</summary>
    public string? Default { get; init; }

    public bool IsDefaultExpression { get; init; }

    public string? Generated { get; init; }

    public bool IsInvisible { get; init; }

    /// <summary>MariaDB's COMPRESSED, which its catalogue has with the type.</summary>
    public bool IsCompressed { get; init; }

    public uint Srid { get; init; }
}

internal sealed class SchemaTable(string? database, string name, string file)
{
    public string? Database { get; } = database;

    public string Name { get; } = name;

    public string File { get; } = file;

    public string Engine { get; set; } = "InnoDB";

    public string? Charset { get; set; }

    /// <summary>Null: the character set's default.</summary>
    public string? Collation { get; set; }

    public List<SchemaColumn> Columns { get; } = [];

    public IReadOnlyList<KeyPart>? Primary { get; set; }

    public List<UniqueKey> Uniques { get; } = [];

    public HashSet<string> IndexNames { get; } = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Without columns, a reference is to the primary key.</summary>
    public List<ForeignKey> References { get; } = [];

    public bool HasChecks { get; set; }

    public bool CanLackPartition { get; set; }

    public bool IsVersioned { get; set; }

    /// <summary>The triggers as the plan names them.</summary>
    public List<string> InsertTriggers { get; } = [];

    public bool HasRows { get; set; }

    public int IndexOf(string column) => Columns.FindIndex(one => one.Name.Equals(column, StringComparison.OrdinalIgnoreCase));

    /// <summary>Without a name, it is that of the first column, with a number if that is taken.</summary>
    public void AddUnique(string? name, IReadOnlyList<KeyPart> parts) => Uniques.Add(new UniqueKey(AddIndex(name, parts), parts));

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

    /// <summary>As <c>CREATE TABLE ... LIKE</c>: without foreign keys and triggers.</summary>
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
