namespace BulkLoad.IntegrationTests.Differential;

/// <summary>A column of a <see cref="RandomTable"/>.</summary>
/// <param name="Name">without quotes</param>
/// <param name="Type">what it holds</param>
/// <param name="IsNullable">whether NULL too</param>
internal sealed record RandomColumn(string Name, ColumnType Type, bool IsNullable)
{
    /// <summary>Of a DEFAULT, as <see cref="ColumnType.Read"/> gives it back; null: there is none.</summary>
    public string? Default { get; init; }

    /// <summary>The file does not have the column at all.</summary>
    public bool IsOmitted { get; init; }

    /// <summary>Gives the nth value of a key instead of a random one; null: no key.</summary>
    public Func<int, Random, FileForm, Cell>? Nth { get; init; }

    /// <summary>The field goes to no column: this one is filled by an expression that reads it. Null: the column has the field's own
    /// value.</summary>
    public SetExpression? Set { get; init; }

    public string QuotedName => $"`{Name.Replace("`", "``", StringComparison.Ordinal)}`";

    public string Ddl =>
        $"{QuotedName} {Type.Ddl} {(IsNullable ? "NULL" : "NOT NULL")}{(Default is null ? "" : $" DEFAULT {OtherTypes.Literal(Default)}")}";
}

/// <summary>A table of random columns, with or without a primary key, a unique key, and what only a server checks.</summary>
internal sealed class RandomTable
{
    private static readonly ColumnType[] Types = [.. NumberTypes.All, .. TextTypes.All, .. TimeTypes.All, .. OtherTypes.All];
    private static readonly string[] OddNames = ["a b", "col,3", "naïve", "ORDER", "x\"y", "it's", "back`tick", "a.b", "日", "tab;", "Key"];

    /// <summary>Types of key with their nth value; a key that differs only as its collation does not see is the same one.</summary>
    private static readonly (string Ddl, Func<int, Random, FileForm, Cell> Nth, string Read)[] Keys =
    [
        ("INT", (n, random, _) => NumberTypes.Spell(random, n), "{0}"),
        ("INT AUTO_INCREMENT", (n, random, _) => NumberTypes.Spell(random, n), "{0}"),
        ("BIGINT UNSIGNED", (n, random, _) => NumberTypes.Spell(random, ulong.MaxValue - (ulong)n), "{0}"),
        ("DECIMAL(10,3)", (n, _, _) => Cell.Of($"{n}.{n % 10}", $"{n}.{n % 10}00"), "{0}"),
        ("VARCHAR(40) COLLATE utf8mb4_bin", (n, _, _) => TextTypes.Same($"k\t{n}'é😀\\"), "{0}"),
        ("VARCHAR(40) COLLATE utf8mb4_general_ci", (n, _, _) => TextTypes.Same($"Key{n}\n"), "{0}"),
        ("CHAR(12) CHARACTER SET latin1", (n, _, _) => TextTypes.Same($"ä{n}"), "{0}"),
        ("DATE", (n, _, _) => TextTypes.Same(new DateOnly(1999, 12, 1).AddDays(n).ToString("yyyy-MM-dd")), "{0}"),
        ("DATETIME(6)",
            (n, _, _) => TextTypes.Same(new DateTime(2024, 2, 28).AddTicks(n * 7_777_770L).ToString("yyyy-MM-dd HH:mm:ss.ffffff")), "{0}"),
        ("BINARY(4)", (n, _, form) => Bytes(form, [0, (byte)'\\', (byte)(n / 256), (byte)n]), "HEX({0})"),
        ("VARBINARY(8)", (n, _, form) => Bytes(form, [0xff, .. Encoding.ASCII.GetBytes(n.ToString())]), "HEX({0})"),
    ];

    private RandomTable(IReadOnlyList<RandomColumn> columns, IReadOnlyList<RandomColumn> primary, RandomColumn? unique)
    {
        Columns = columns;
        Primary = primary;
        Unique = unique;
    }

    public IReadOnlyList<RandomColumn> Columns { get; }

    /// <summary>The columns of the primary key, none or more.</summary>
    public IReadOnlyList<RandomColumn> Primary { get; }

    /// <summary>The column of a unique key, or null.</summary>
    public RandomColumn? Unique { get; }

    /// <summary>The columns that expressions fill.</summary>
    public IEnumerable<RandomColumn> Sets => Columns.Where(column => column.Set is not null);

    /// <summary>The only server that has all types of the table; null: both.</summary>
    public string? Server => Columns.Select(column => column.Type.Server).FirstOrDefault(server => server is not null);

    public static RandomTable Create(Random random, FileForm form)
    {
        var server = random.Next(6) switch { 0 => Servers.MariaDb, 1 => Servers.MySql, _ => null };
        var types = Types.Where(type => type.Server is null || type.Server == server).ToArray();
        var own = types.Where(type => type.Server is not null).ToArray();
        var columns = new List<RandomColumn>();
        var primary = random.Next(10) switch { 0 => [], 1 => Composite(), _ => new[] { Key("id", random) } };
        columns.AddRange(primary);
        var unique = random.Next(3) == 0 ? Key("uq", random) with { IsNullable = random.Next(2) == 0 } : null;
        if (unique is not null)
        {
            unique =
                unique with { Type = unique.Type with { Ddl = unique.Type.Ddl.Replace(" AUTO_INCREMENT", "", StringComparison.Ordinal) } };
            columns.Add(unique);
        }

        for (var i = random.Next(primary.Length == 0 ? 2 : 1, 9); i > 0; i--)
        {
            var type = server is not null && random.Next(3) == 0 ? Cell.Pick(random, own) : Cell.Pick(random, types);
            if (type.Trigger is null || !columns.Any(column => column.Type.Trigger is not null))
            {
                columns.Add(Column(random, random.Next(4) == 0 && columns.All(column => !OddNames.Contains(column.Name))
                    ? Cell.Pick(random, OddNames) : $"c{i}", type, form));
            }
        }

        if (columns.Count(column => !column.IsOmitted) < 2)
        {
            columns.Add(new RandomColumn("last", TextTypes.All.First(), true));
        }

        for (var i = random.Next(3) == 0 ? random.Next(1, 4) : 0; i > 0; i--)
        {
            columns.Add(SetExpressions.Column(random, i));
        }

        return new RandomTable([.. columns.OrderBy(_ => random.Next())], primary, unique);
    }

    /// <summary>Statements for the client that make the table, with a delimiter of its own for a trigger.</summary>
    public string CreateSql(string name)
    {
        var lines = Columns.Select(column => column.Ddl).ToList();
        lines.AddRange(Columns.Where(column => column.Type.Clause is not null)
            .Select(column => string.Format(CultureInfo.InvariantCulture, column.Type.Clause!, column.QuotedName)));
        if (Primary.Count > 0)
        {
            lines.Add($"PRIMARY KEY ({string.Join(',', Primary.Select(column => column.QuotedName))})");
        }

        if (Unique is not null)
        {
            lines.Add($"UNIQUE KEY ({Unique.QuotedName})");
        }

        var table = $"CREATE TABLE {name} (\n  {string.Join(",\n  ", lines)}\n);\n";
        var trigger = Columns.FirstOrDefault(column => column.Type.Trigger is not null);
        return trigger is null
            ? table
            : $"{table}DELIMITER $$\nCREATE TRIGGER {name}_t BEFORE INSERT ON {name} FOR EACH ROW "
                + $"{string.Format(CultureInfo.InvariantCulture, trigger.Type.Trigger!, trigger.QuotedName)}$$\nDELIMITER ;\n";
    }

    /// <summary>Whether a check without the server may leave records undecided for a reason; the table is empty then.</summary>
    public bool CanBeUndecided(string reason) => reason switch
    {
        "key-comparison" => Primary.Count > 0 || Unique is not null,
        "foreign-key" =>
            Columns.Any(column => column.Type.Clause?.StartsWith("FOREIGN", StringComparison.Ordinal) == true && !column.IsOmitted),
        "check-constraint" =>
            Columns.Any(column => column.Type.Clause?.StartsWith("CHECK", StringComparison.Ordinal) == true || column.Type.Ddl == "JSON"),
        "trigger" => Columns.Any(column => column.Type.Trigger is not null),
        "default-expression" => Columns.Any(column => column.IsOmitted && column.Default is not null),
        "set-expression" => Sets.Any(),
        "geometry" => Columns.Any(column => column.Type.Read.StartsWith("ST_", StringComparison.Ordinal) && !column.IsOmitted),
        _ => false,
    };

    /// <summary>A query of one row a row: the values as text in hexadecimal digits, or plain.</summary>
    public string ReadSql(string name) => $"SELECT {string.Join(',', Columns.Select(ReadSql))} FROM {name};";

    private static string ReadSql(RandomColumn column)
    {
        var value = string.Format(CultureInfo.InvariantCulture, column.Type.Read, column.QuotedName);
        return column.Type.IsPlain ? value : $"HEX(CONVERT(({value}) USING utf8mb4))";
    }

    private static RandomColumn[] Composite() =>
    [
        new("id", new ColumnType("SMALLINT", (_, _) => Cell.Null()), false) { Nth = (n, random, _) => NumberTypes.Spell(random, n / 8) },
        new("part", new ColumnType("VARCHAR(5)", (_, _) => Cell.Null()), false) { Nth = (n, _, _) => TextTypes.Same($"{n % 8}") },
    ];

    private static RandomColumn Key(string name, Random random)
    {
        var (ddl, nth, read) = Cell.Pick(random, Keys);
        return new RandomColumn(
            name, new ColumnType(ddl, (_, _) => Cell.Null()) { Read = read, CanHaveDefault = false }, false)
        { Nth = nth };
    }

    private static RandomColumn Column(Random random, string name, ColumnType type, FileForm form)
    {
        var column = new RandomColumn(name, type, type.IsNullableOnly || random.Next(2) == 0);
        if (type.CanHaveDefault && random.Next(3) == 0)
        {
            var text = type.Good(random, form).Stored!;
            column = column with
            {
                Default = text,
                IsOmitted = type.LeavesDefaultToServer || text.Any(sign => sign == '?' || char.IsSurrogate(sign)) || random.Next(3) == 0
            };
        }

        return column.IsNullable && column.Default is null && random.Next(12) == 0 ? column with { IsOmitted = true } : column;
    }

    private static Cell Bytes(FileForm form, byte[] bytes) =>
        form.HasRawBytes ? Cell.Of(bytes, Convert.ToHexString(bytes)) : Cell.Of(Convert.ToHexString(bytes), Convert.ToHexString(bytes));
}
