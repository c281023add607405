using BulkLoad.Core.Inference;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Tests.Planning;

namespace BulkLoad.Tests.Inference;

public sealed class SourceSurveyTests
{
    private static readonly LoadRequest Request = TestFacts.Request with { Create = true, ExactTypes = true };

    [Fact]
    public void Every_record_counts_not_only_the_first_ones()
    {
        var records = string.Concat(Enumerable.Range(1, 50_000).Select(number => $"{number % 100},x\n"));
        Assert.Equal("id smallint not null, name varchar(1)", Columns(Survey(Request, $"id,name\n{records}300,\n")));
    }

    [Fact]
    public void Names_come_from_the_header() =>
        Assert.Equal("id tinyint not null, Full Name varchar(3) not null", Columns(Survey(Request, "id,Full Name\n1,Ada\n")));

    [Fact]
    public void Without_a_header_fields_are_numbered() => Assert.Equal(
        "c1 tinyint not null, c2 varchar(3) not null",
        Columns(Survey(Request with { Source = new SourceOptions { HasHeader = false } }, "1,Ada\n2,Bo\n")));

    [Fact]
    public void Columns_name_the_fields_and_pass_some_over()
    {
        var request = Request with { Columns = ["id", "@", "name"] };
        Assert.Equal("id tinyint not null, name varchar(3) not null", Columns(Survey(request, "a,b,c\n1,x,Ada\n")));
    }

    [Fact]
    public void Map_renames_a_field_and_passes_one_over()
    {
        var request = Request with { Map = [new("Full Name", "name"), new("b", "@")] };
        Assert.Equal("id tinyint not null, name varchar(3) not null", Columns(Survey(request, "id,b,Full Name\n1,x,Ada\n")));
    }

    [Fact]
    public void A_mapped_field_that_nobody_has_is_an_error() => Assert.Equal(
        "--map names field 'nme', which no record has (if it is optional, write --map 'nme?=name')",
        Assert.Throws<MappingException>(() => Survey(Request with { Map = [new("nme", "name")] }, "id\n1\n")).Message);

    [Fact]
    public void Records_with_faults_take_no_part()
    {
        var design = Survey(Request, "id,name\n1,Ada\nx\n2,Bo,y\n300,\"a\"b\n4,x\n");
        Assert.Equal("id tinyint not null, name varchar(3) not null", Columns(design));
        Assert.Equal((2, 3), (design.Records, design.Skipped));
    }

    [Fact]
    public void Records_with_bytes_that_are_no_text_take_no_part_unless_the_field_is_passed_over()
    {
        byte[] content = [.. "id,name\n1,"u8, 0xff, .. "\n200,Bö\n"u8];
        Assert.Equal("id smallint not null, name varchar(2) not null", Columns(Survey(Request, content)));
        Assert.Equal(2, Survey(Request with { Map = [new("name", "@")] }, content).Records);
    }

    [Fact]
    public void Null_is_what_it_is_at_the_load()
    {
        var request = Request with { Values = new ValueOptions { NullTexts = [new NullText(null, "NA"), new NullText("b", "0")] } };
        Assert.Equal("a tinyint, b tinyint, c varchar(2) not null", Columns(Survey(request, "a,b,c\nNA,0,\"NA\"\n0,\\N,x\n1,1,x\n")));
    }

    [Fact]
    public void A_quoted_empty_field_is_text_and_an_unquoted_one_is_as_empty_says()
    {
        const string Content = "a,b\n1,1\n,\"\"\n";
        Assert.Equal("a tinyint, b varchar(1) not null", Columns(Survey(Request, Content)));
        Assert.Equal(
            "a varchar(1) not null, b varchar(1) not null",
            Columns(Survey(Request with { Values = new ValueOptions { Empty = EmptyMeaning.EmptyText } }, Content)));
    }

    [Fact]
    public void Trim_leaves_text_alone()
    {
        var request = Request with { Values = new ValueOptions { Trim = true } };
        Assert.Equal("a tinyint, b varchar(3) not null", Columns(Survey(request, "a,b\n 1 ,1\n  , x \n")));
        Assert.Equal("a varchar(3) not null, b varchar(3) not null", Columns(Survey(Request, "a,b\n 1 ,1\n  , x \n")));
    }

    [Fact]
    public void Keys_of_json_objects_may_come_late_and_be_missing() => Assert.Equal(
        "id tinyint not null, tags json, late date",
        Columns(Survey(Request, """{"id":1,"tags":[1]}""" + "\n" + """{"id":2,"late":"2024-01-01"}""" + "\n")));

    [Fact]
    public void Strings_of_json_stay_what_they_are_and_numbers_are_numbers() => Assert.Equal(
        "a varchar(3) not null, b varchar(3) not null, c double not null",
        Columns(Survey(Request, """{"a":"[1]","b":"1e5","c":1e5}""" + "\n")));

    [Fact]
    public void Repairs_take_part_as_they_will_be_loaded()
    {
        var repairs = Request with { Source = new SourceOptions { Dirt = DirtPolicies.None.With(null, DirtAction.Repair) } };
        Assert.Equal("a tinyint not null, b varchar(3)", Columns(Survey(repairs, "a,b\n1\n2,3\n4,5,6\n")));
    }

    [Fact]
    public void Objects_and_arrays_outside_of_json_lines_are_text() =>
        Assert.Equal("a varchar(3) not null", Columns(Survey(Request, "a\n[1]\n")));

    [Fact]
    public void Several_inputs_make_one_table()
    {
        var survey = new SourceSurvey(Request, Inferred.Utc, ["a.csv", "b.csv"]);
        Read(survey, Request, "id,name\n1,Ada\n"u8.ToArray());
        Read(survey, Request, "ID,name\n300,\n"u8.ToArray());
        var design = survey.Design();
        Assert.Equal("id smallint not null, name varchar(3)", Columns(design));
        Assert.Equal("whole numbers from 1 to 300 (record 1 of b.csv)", design.Columns[0].Reason);
    }

    [Theory]
    [InlineData("id,\n", "field 2 has no name")]
    [InlineData("id,ID\n", "field 2 would be column 'ID' as field 1 is")]
    [InlineData("\"name \"\n", "field 1 has a name that ends with a blank, 'name '")]
    [InlineData("name\t\n", "field 1 has a name that ends with a blank, 'name\\t'")]
    [InlineData("\"name\r\n\"\n", "field 1 has a name that ends with a blank, 'name\\r\\n'")]
    [InlineData("a😀\n", "field 1 has a character in its name that no column's can have")]
    [InlineData("a2345678901234567890123456789012345678901234567890123456789012345\n", "field 1 has a name of more than 64 characters")]
    public void A_name_that_no_column_can_have_is_an_error(string header, string fault) =>
        Assert.Contains(fault, Assert.Throws<MappingException>(() => Survey(Request, header)).Message, StringComparison.Ordinal);

    [Fact]
    public void More_fields_than_a_table_can_have_columns_are_an_error() => Assert.Contains(
        "more than 1,017 fields",
        Assert.Throws<MappingException>(
            () => Survey(Request, string.Join(',', Enumerable.Range(1, 1018).Select(i => $"f{i}")) + "\n")).Message,
        StringComparison.Ordinal);

    [Fact]
    public void A_key_is_taken_by_name_in_its_own_order()
    {
        var design = Survey(Request with { PrimaryKey = ["NAME", "id"] }, "id,name\n1,Ada\n");
        Assert.Equal(["name", "id"], design.PrimaryKey);
        Assert.EndsWith("  PRIMARY KEY (`name`,`id`)\n) DEFAULT CHARSET=utf8mb4", design.Describe("shop", "people").Statement,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("nme", "--primary-key nme: the new table has no column of that name; did you mean 'name'? (it has id, name, long)")]
    [InlineData("id",
        "--primary-key id: its column must have a value in every record (tinyint: whole numbers, all of them 1; NULL in 1 of 2 records)")]
    [InlineData("long", "--primary-key long: text of more than 768 characters cannot be a key (varchar(1000): text such as 'x' (record 1); "
        + "the longest has 769 characters (record 2))")]
    public void A_key_that_cannot_be_one_is_refused(string key, string message) => Assert.StartsWith(
        message,
        Assert.Throws<PlanException>(
            () => Survey(Request with { PrimaryKey = [key] }, $"id,name,long\n1,Ada,x\n,Bo,{new string('x', 769)}\n")).Message,
        StringComparison.Ordinal);

    [Fact]
    public void A_key_of_text_is_not_made_too_long_by_rounding()
    {
        var design = Survey(Request with { PrimaryKey = ["a"] }, $"a\n{new string('x', 768)}\n");
        Assert.Equal("a varchar(768) not null", Columns(design));
    }

    [Fact]
    public void A_row_that_would_be_too_large_gets_text_for_its_longest_columns()
    {
        var (longer, shorter) = (new string('x', 9000), new string('x', 3000));
        var design = Survey(Request, $"a,b,c\n{longer},{shorter},7\n");
        Assert.Equal("a text not null, b varchar(4000) not null, c tinyint not null", Columns(design));
        Assert.EndsWith("; varchar(16000) would make the row too large", design.Columns[0].Reason, StringComparison.Ordinal);
    }

    [Fact]
    public void How_far_it_is_can_be_seen_from_the_first_record_on()
    {
        List<LoadProgress> seen = [];
        var content = Encoding.UTF8.GetBytes("id\n" + string.Concat(Enumerable.Range(1, 100_000).Select(i => $"{i}\n")));
        var survey = new SourceSurvey(Request, Inferred.Utc, ["a.csv", "b.csv"])
        {
            Progress = new PassProgress(new Seen(seen), "reading types", 2 * content.Length),
        };
        Read(survey, Request, content);
        Read(survey, Request, content);

        Assert.All(seen, step => Assert.Equal(("reading types", 2 * content.Length, 0), (step.Held, step.TotalBytes, step.RecordsSent)));
        Assert.True(seen.Count > 40 && seen[0].BytesRead < content.Length);
        Assert.Equal(seen.Select(step => step.BytesRead).Order(), seen.Select(step => step.BytesRead));
        Assert.Equal(2 * content.Length, seen[^1].BytesRead);
    }

    private sealed class Seen(List<LoadProgress> steps) : IProgress<LoadProgress>
    {
        public void Report(LoadProgress value) => steps.Add(value);
    }

    private static TableDesign Survey(LoadRequest request, string content) => Survey(request, Encoding.UTF8.GetBytes(content));

    private static TableDesign Survey(LoadRequest request, byte[] content)
    {
        var survey = new SourceSurvey(request, Inferred.Utc, ["people.csv"]);
        Read(survey, request, content);
        return survey.Design();
    }

    private static void Read(SourceSurvey survey, LoadRequest request, byte[] content)
    {
        var options = request.Source with { Format = content[0] == '{' ? InputFormat.Jsonl : InputFormat.Csv };
        using var input = InputFile.Open(new MemoryStream(content), "people.csv", options);
        survey.Read(SourceProbe.Look(input, options), input);
    }

    private static string Columns(TableDesign design) =>
        string.Join(", ", design.Columns.Select(column => $"{column.Column.Name} {Inferred.Text(column)}"));
}
