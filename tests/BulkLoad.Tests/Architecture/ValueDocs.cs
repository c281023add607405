using BulkLoad.Core.Rows;
using BulkLoad.Tests.Values;
using BulkLoad.Tests.Values.Cases;

namespace BulkLoad.Tests.Architecture;

/// <summary>Makes the tables of docs/values.md from the table of cases; what stands around them is written by hand.</summary>
internal static class ValueDocs
{
    private const string Begin =
        "<!-- Made by tests/BulkLoad.Tests/Architecture/ValueDocs.cs from tests/BulkLoad.Tests/Values: change it there. -->\n";
    private const string End = "<!-- End of what is made. -->\n";

    /// <param name="page">the page as it is</param>
    /// <returns>the page as it should be</returns>
    public static string Page(string page)
    {
        var begin = page.IndexOf(Begin, StringComparison.Ordinal) + Begin.Length;
        var end = page.IndexOf(End, StringComparison.Ordinal);
        return $"{page[..begin]}\n{Tables()}{page[end..]}";
    }

    private static string Tables()
    {
        var text = new StringBuilder();
        foreach (var chapter in ValueCases.All.Where(group => group.Chapter.Length > 0).GroupBy(group => group.Chapter))
        {
            text.Append($"### {chapter.Key}\n\n");
            foreach (var group in chapter)
            {
                Describe(text, group);
            }
        }

        return text.ToString();
    }

    private static void Describe(StringBuilder text, ValueGroup group)
    {
        text.Append($"| {Title(group)} | becomes |\n| --- | --- |\n");
        foreach (var value in group.Cases.Where(value => !value.IsRefused))
        {
            text.Append($"| {value.Shown} | {Value(group, value)} |\n");
        }

        foreach (var refused in group.Cases.Where(value => value.IsRefused).GroupBy(value => Reason(group, value)))
        {
            text.Append($"| {string.Join(", ", refused.Select(value => value.Shown))} | {refused.Key} |\n");
        }

        text.Append('\n');
    }

    private static string Title(ValueGroup group) => group.Title.Length <= 80 ? group.Title : $"{group.Title[..60]}...)";

    private static string Value(ValueGroup group, ValueCase value) => group.Column.IsBinary
        ? value.Expected.Length == 0 ? "no byte" : $"the bytes {ValueCase.Show(value.Expected)}"
        : ValueCase.Show(value.Expected);

    private static string Reason(ValueGroup group, ValueCase value)
    {
        var rule = group.CreateRule(group.Column, Rules.Options(TimeZoneInfo.Utc).Zone);
        return rule.Add(value.Field, new RowBlock(1, 16)) is { } fault
            ? $"refused: {fault.Message.Replace("|", "\\|", StringComparison.Ordinal)} (`{fault.Code}`)"
            : throw new InvalidOperationException($"{group}: {value}: is not refused");
    }
}
