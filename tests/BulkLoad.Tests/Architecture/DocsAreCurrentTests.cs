namespace BulkLoad.Tests.Architecture;

/// <summary>The pages that are made from the program itself. After a change: BULKLOAD_UPDATE_DOCS=1 and run the tests once.</summary>
public sealed class DocsAreCurrentTests
{
    [Fact]
    public void The_command_line_page_is_what_the_commands_say() => Compare("cli.md", CliDocs.CommandLine());

    [Fact]
    public void The_page_of_codes_is_what_help_says() => Compare("codes.md", CliDocs.Codes());

    [Fact]
    public void The_json_page_is_what_the_program_writes() => Compare("cli-json.md", CliDocs.Json());

    [Fact]
    public void The_tables_of_values_are_those_that_the_rules_are_tested_with() =>
        Compare("values.md", ValueDocs.Page(File.ReadAllText(Path.Combine(Repository.Root, "docs", "values.md"))));

    private static void Compare(string page, string text)
    {
        var path = Path.Combine(Repository.Root, "docs", page);
        if (Environment.GetEnvironmentVariable("BULKLOAD_UPDATE_DOCS") == "1")
        {
            File.WriteAllText(path, text);
        }

        Assert.True(File.Exists(path) && File.ReadAllText(path) == text,
            $"docs/{page} is not current: set BULKLOAD_UPDATE_DOCS=1 and run the tests once");
    }
}
