namespace BulkLoad.IntegrationTests.Differential;

/// <summary>An expression of <c>--set</c> over a field that goes to no column.</summary>
/// <param name="Sql"><c>{0}</c> stands for the field</param>
/// <param name="Of">what the column then holds; takes and gives null for NULL</param>
internal sealed record SetExpression(string Sql, Func<string?, string?> Of);

/// <summary>Columns that are filled by expressions over texts, of which the test knows the result without asking a server.</summary>
internal static class SetExpressions
{
    private static readonly ColumnType Text = TextTypes.All.Last(type => type.Ddl == "LONGTEXT") with { Bad = null };

    private static readonly SetExpression[] All =
    [
        new("{0}", text => text),
        new("concat('<',{0},'@x>',{0})", text => text is null ? null : $"<{text}@x>{text}"),
        new("coalesce({0},'none @{{')", text => text ?? "none @{"),
        new("hex({0})", text => text is null ? null : Convert.ToHexString(Encoding.UTF8.GetBytes(text))),
        new("char_length({0})", text => text?.EnumerateRunes().Count().ToString()),
        new("length({0})+0", text => text is null ? null : Encoding.UTF8.GetByteCount(text).ToString()),
        new("{0} IS NULL", text => text is null ? "1" : "0"),
        new("concat_ws('/',charset({0}),collation({0}))", _ => "utf8mb4/utf8mb4_general_ci"),
        new("if({0}=upper({0}) or 1,replace({0},'a','@a'),null)", text => text?.Replace("a", "@a", StringComparison.Ordinal)),
    ];

    public static RandomColumn Column(Random random, int number) =>
        new($"set{number}", Text, IsNullable: true) { Set = Cell.Pick(random, All) };
}
