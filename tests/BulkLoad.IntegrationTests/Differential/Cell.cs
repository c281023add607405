namespace BulkLoad.IntegrationTests.Differential;

/// <summary>How a file is written and read, as far as a value has to know.</summary>
/// <param name="Format">never <see cref="InputFormat.Auto"/></param>
/// <param name="IsUtf16">in UTF-16 with a byte order mark, else UTF-8</param>
internal sealed record FileForm(InputFormat Format, bool IsUtf16)
{
    /// <summary>Whether what is finer than a column is rounded.</summary>
    public bool Rounds { get; init; }

    /// <summary>Whether dates can have zeros.</summary>
    public bool TakesZeroDates { get; init; }

    /// <summary>Whether every kind of dirt is repaired.</summary>
    public bool RepairsDirt { get; init; }

    public bool IsSeparated => Format is InputFormat.Csv or InputFormat.Tsv;

    public bool IsJson => Format == InputFormat.Jsonl;

    /// <summary>Whether fields of binary columns are their own bytes.</summary>
    public bool HasRawBytes => Format == InputFormat.Mysql;
}

/// <summary>Draws a value: as a file may write it, with what must become of it.</summary>
internal delegate Cell Draw(Random random, FileForm form);

/// <summary>A field that a test made, and what must become of it.</summary>
/// <param name="Field">before quotes and escapes; null: NULL as the format writes it</param>
/// <param name="Stored">what the column must hold, as <see cref="ColumnType.Read"/> gives it back; null: NULL</param>
/// <param name="Code">the reason for which the record must be refused; null: it is taken</param>
internal sealed record Cell(byte[]? Field, string? Stored, string? Code)
{
    /// <summary>jsonl: written as it stands, without quotes around it.</summary>
    public bool IsJson { get; init; }

    /// <summary>Written as it stands, whatever that does to the record.</summary>
    public bool IsDirty { get; init; }

    /// <summary>csv and tsv: nothing at all between two delimiters.</summary>
    public bool IsEmpty { get; init; }

    /// <summary>The key of a JSON object is not there, or the record ends before the field.</summary>
    public bool IsMissing { get; init; }

    public static Cell Of(string field, string stored) => new(Encoding.UTF8.GetBytes(field), stored, null);

    public static Cell Of(byte[] field, string stored) => new(field, stored, null);

    public static Cell Bad(string field, string code) => new(Encoding.UTF8.GetBytes(field), null, code);

    /// <param name="stored">null: the column takes NULL</param>
    /// <param name="code">null: it is taken</param>
    public static Cell Null(string? stored = null, string? code = null) => new(null, stored, code);

    public static T Pick<T>(Random random, IReadOnlyList<T> choices) => choices[random.Next(choices.Count)];
}
