namespace BulkLoad.Tests.Architecture;

/// <summary>A text of the folder Templates in which <c>{{name}}</c> stands for what is made.</summary>
internal static class Template
{
    /// <param name="file">its name in the folder</param>
    /// <param name="made">the texts by their names; an end of line at a text's end is dropped</param>
    /// <exception cref="InvalidOperationException">the template has no such name, or another one too</exception>
    public static string Fill(string file, params ReadOnlySpan<(string Name, string Text)> made)
    {
        var page = File.ReadAllText(Path.Combine(Repository.Root, "tests", "BulkLoad.Tests", "Architecture", "Templates", file))
            .ReplaceLineEndings("\n");
        var filled = page;
        foreach (var (name, text) in made)
        {
            var sign = $"{{{{{name}}}}}";
            if (!page.Contains(sign, StringComparison.Ordinal))
            {
                throw new InvalidOperationException($"{file} has no {sign}");
            }

            page = page.Replace(sign, "", StringComparison.Ordinal);
            filled = filled.Replace(sign, text.TrimEnd('\n'), StringComparison.Ordinal);
        }

        return page.Contains("{{", StringComparison.Ordinal)
            ? throw new InvalidOperationException($"{file} has a name that nothing is made for") : filled;
    }
}
