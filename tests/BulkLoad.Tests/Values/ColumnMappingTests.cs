using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.Tests.Planning;

namespace BulkLoad.Tests.Values;

public sealed class ColumnMappingTests
{
    private static readonly TableFacts People = Columns.Table(
        Columns.Id(), Columns.Varchar("name").Required(), Columns.Integer("age"),
        Columns.Varchar("slug") with { IsGenerated = true },
        Columns.Of("place", ColumnKind.Unsupported, "vector(3)"),
        Columns.Integer("secret") with { IsInvisible = true });

    private static ColumnMapping Map(
        string? header, int fields = 0, TableFacts? table = null, IReadOnlyList<string>? columns = null, params (string, string)[] map) =>
            ColumnMapping.Create(
                "people.csv", header?.Split(','), fields, table ?? People,
                TestFacts.Request with { Columns = columns, Map = [.. map.Select(pair => KeyValuePair.Create(pair.Item1, pair.Item2))] },
                null);

    private static string Show(ColumnMapping mapping) => string.Join(' ', mapping.Columns.Zip(mapping.FieldOf, (column, field) =>
        $"{column.Name}={field}"));

    private static string[] Faults(
        string? header, int fields = 0, TableFacts? table = null, IReadOnlyList<string>? columns = null, params (string, string)[] map) =>
            Assert.Throws<MappingException>(() => Map(header, fields, table, columns, map)).Message.Split('\n');

    [Theory]
    [InlineData("id,name,age", "id=0 name=1 age=2")]
    [InlineData("AGE,Name", "age=0 name=1")]
    [InlineData("name,secret", "name=0 secret=1")]
    public void Names_decide_without_regard_to_case(string header, string expected) => Assert.Equal(expected, Show(Map(header)));

    [Fact]
    public void A_list_of_columns_decides_by_position_and_passes_fields_over()
    {
        var mapping = Map("a,b,c", columns: ["age", "@skip", "NAME"]);
        Assert.Equal("age=0 name=2", Show(mapping));
        Assert.Equal(
            [new PlannedColumn("a", "age", "int"), new PlannedColumn("b", null, null), new PlannedColumn("c", "name", "varchar(100)")],
            mapping.Fields);
        Assert.Equal("name=0", Show(Map(null, 2, columns: ["name", "@"])));
    }

    [Fact]
    public void A_map_renames_and_passes_over()
    {
        Assert.Equal("name=0 age=1", Show(Map("Vorname,age", map: ("vorname", "name"))));
        Assert.Equal("name=0", Show(Map("name,extra", map: ("extra", "@"))));
    }

    [Fact]
    public void Without_a_header_fields_go_to_the_visible_columns_in_table_order()
    {
        var table = Columns.Table([.. People.Columns.Where(column => column.Name != "place")]);
        Assert.Equal("id=0 name=1 age=2", Show(Map(null, 3, table)));
        Assert.Contains(
            "  without a header the fields go to the table's 3 columns in order, but the file has 4 fields (name their columns with "
                + "--columns)",
            Faults(null, 4, table));
    }

    [Fact]
    public void A_mismatch_shows_both_sides_and_what_could_be_meant() => Assert.Equal(
        [
            "people.csv: its columns do not fit table shop.people",
            "  field 'nmae' has no column of that name; did you mean 'name'? (send it elsewhere with --map nmae=column, skip it with --map "
                + "nmae=@)",
            "  column 'name' is NOT NULL without a default, and the file does not have it",
            "  the file has:  id, nmae",
            "  the table has: id, name, age, slug, place, secret",
        ],
        Faults("id,nmae"));

    [Fact]
    public void New_columns_are_not_shown_as_those_of_the_table()
    {
        var table = People with { NewColumns = 2 };
        var faults = Faults("id,nmae", table: table);
        Assert.Contains("  the table has: id, name, age, slug", faults);
        Assert.Contains("  it would get:  place, secret", faults);
    }

    [Fact]
    public void Every_mismatch_is_told_at_once()
    {
        var faults = Faults("id,ID,slug,zzzzzz,,age", map: [("absent", "age"), ("age", "nowhere")]);
        Assert.Equal(
            [
                "  field 'zzzzzz' has no column of that name (send it elsewhere with --map zzzzzz=column, skip it with --map zzzzzz=@)",
                "  field 5 has no name (send it to a column with --map 5=column, skip it with --map 5=@)",
                "  --map names field 'absent', which the file does not have (if it is optional, write --map 'absent?=column')",
                "  column 'id' is the target of fields 1 and 2 (name the fields with --columns, skip one with @name)",
                "  column 'slug' is generated: its value cannot be set (skip the field: @slug in --columns, or --map slug=@)",
                "  column 'nowhere' is not in the table",
                "  column 'name' is NOT NULL without a default, and the file does not have it",
            ],
            faults[1..^2]);
    }

    [Theory]
    [InlineData("id,age", null, "  column 'name' is NOT NULL without a default, and the file does not have it")]
    [InlineData("a,b", "name", "  --columns names 1 field, the file has 2 (skip one with @name)")]
    [InlineData("a,b", "name,nmae", "  column 'nmae' is not in the table; did you mean 'name'?")]
    [InlineData(
        "a,b", "name,name", "  column 'name' is the target of fields 1 and 2 (name the fields with --columns, skip one with @name)")]
    [InlineData(
        "a,b", "name,slug", "  column 'slug' is generated: its value cannot be set (skip the field: @slug in --columns, or --map slug=@)")]
    public void A_mapping_that_does_not_fit_is_refused(string header, string? columns, string expected) =>
        Assert.Equal([expected], Faults(header, columns: columns?.Split(','))[1..^2]);

    [Fact]
    public void A_mapping_of_nothing_is_refused()
    {
        var table = Columns.Table(Columns.Integer("a"));
        Assert.Contains("  no field goes to a column", Faults("x,y", table: table, columns: ["@x", "@y"]));
    }

    [Fact]
    public void A_hint_stands_first_and_is_the_first_way_on()
    {
        var hint = new WayOn("the first line looks separated by semicolons") { Words = ["--delimiter", ";"] };
        var fault = Assert.Throws<MappingException>(() => ColumnMapping.Create("in", ["a;b"], 0, People, TestFacts.Request, hint));
        Assert.Equal("  the first line looks separated by semicolons", fault.Message.Split('\n')[1]);
        Assert.Equal(["--delimiter", ";"], fault.WaysOn[0].Words);
    }

    [Fact]
    public void Blanks_around_the_name_of_a_column_are_removed_by_an_option()
    {
        var fault = Assert.Throws<MappingException>(() => Map("Id,NAME ,x"));
        Assert.Equal(["--dirt", "padding=repair"], fault.WaysOn[0].Words);
    }

    [Theory]
    [InlineData("1,Ann", "--no-header")]
    [InlineData("id,Ann", "--add-columns")]
    [InlineData("id,name,", "--map 3=@")]
    [InlineData("id,na-me", "--map na-me=name")]
    [InlineData("id,N A_ME", "--map N A_ME=name")]
    [InlineData("id,nàmé,AGE", "--map nàmé=name")]
    [InlineData("id,na\u0300me,AGE", "--map 2=name")]
    [InlineData("id,n.a.m.e,a g e,", "--map n.a.m.e=name --map a g e=age --map 4=@")]
    [InlineData("id,na me,na-me", "--add-columns")]
    [InlineData("id,name,na-me", "--add-columns")]
    public void Names_that_are_nearly_those_of_columns_are_mapped_by_the_way_on(string header, string words)
    {
        var fault = Assert.Throws<MappingException>(() => Map(header));
        Assert.Equal(words, string.Join(' ', fault.WaysOn.Select(way => string.Join(' ', way.Words))));
    }

    [Fact]
    public void A_name_that_cannot_be_typed_is_mapped_by_its_place()
    {
        var guesses = NameGuesses.For(["a,g,e", "na\tme"], People, TestFacts.Request);
        Assert.Equal(["--map", "1=age", "--map", "2=name"], NameGuesses.WordsOf(guesses));
        Assert.Empty(NameGuesses.For(["a,g,e"], People, TestFacts.Request, isOrdered: false));
        Assert.Empty(NameGuesses.For(["a g e"], People, TestFacts.Request with { Columns = ["age"] }));
    }

    [Fact]
    public void The_way_on_that_is_shown_is_taken()
    {
        var guesses = NameGuesses.For(["Na me", "A-G-E"], People, TestFacts.Request);
        Assert.Equal("name=0 age=1",
            Show(ColumnMapping.Create("in", ["Na me", "A-G-E"], 0, People, TestFacts.Request with { Map = guesses }, null)));
    }

    [Fact]
    public void A_type_without_a_rule_is_refused_as_a_target_only()
    {
        var fault = Assert.Throws<PlanException>(() => Map("name,place"));
        Assert.Equal(
            "column 'place' of shop.people: type vector(3) is not supported yet; skip the field: @place in --columns, or --map place=@",
            fault.Message);
        Assert.Equal("name=0", Show(Map("name,place", map: ("place", "@"))));
    }

    [Fact]
    public void A_column_that_the_account_may_not_insert_is_refused()
    {
        var table = Columns.Table(Columns.Integer("a") with { CanInsert = false });
        Assert.Equal(
            "this account may not insert into column 'a' of shop.people: GRANT INSERT ON shop.people to it",
            Assert.Throws<PlanException>(() => Map("a", table: table)).Message);
    }

    [Fact]
    public void Another_files_fields_go_to_the_first_files_order()
    {
        var first = Map("id,name,age");
        var second = ColumnMapping.Create("more.csv", ["age", "extra", "ID", "Name"], 0, People,
            TestFacts.Request with { Map = [KeyValuePair.Create("extra", "@")] }, null);
        Assert.Equal("id=2 name=3 age=0", Show(second.InOrderOf(first, "more.csv", "people.csv")));
    }

    [Fact]
    public void Files_with_other_columns_are_refused_with_both_sides()
    {
        var fault = Assert.Throws<MappingException>(() => Map("name,age").InOrderOf(Map("id,name"), "more.csv", "people.csv"));
        Assert.Equal(
            "more.csv: does not have the same columns as people.csv; import them one at a time\n"
            + "  column 'id' is in people.csv, not in more.csv\n  column 'age' is in more.csv, not in people.csv",
            fault.Message);
    }

    [Fact]
    public void Names_of_a_header_are_names_whatever_they_begin_with()
    {
        var table = Columns.Table(Columns.Integer("@id"), Columns.Varchar("@v"), Columns.Varchar("w"));
        Assert.Equal("@id=0 @v=1 w=2", Show(Map("@id,@V,w", table: table)));
        Assert.Equal("@id=0 w=1", Show(Map("@id,@v,x", table: table, map: [("@v", "w"), ("x", "@")])));
    }

    [Fact]
    public void A_field_is_mapped_by_its_place_where_no_name_is_that_number()
    {
        Assert.Equal("id=0 name=1 age=2", Show(Map(",name,", map: [("1", "id"), ("3", "age")])));
        Assert.Equal("id=0 name=1", Show(Map(",name", map: ("", "id"))));
        Assert.Equal("name=0 age=1", Show(Map("name,1", map: ("1", "age"))));
        Assert.Equal("name=0 id=1 age=2", Show(
            Map(null, 3, Columns.Table(Columns.Id(), Columns.Varchar("name"), Columns.Integer("age")), null, ("1", "name"), ("2", "id"))));
        Assert.Equal("name=0", Show(Map("name,Name", map: ("2", "@"))));
        Assert.Equal("name=0 age=2", Show(Map("n,n,age", map: [("n", "name"), ("2", "@")])));
        Assert.Contains("--map names field 'name'", Faults("name", map: [("name", "age"), ("1", "age")])[1..]
            .First(line => line.Contains("--map names", StringComparison.Ordinal)), StringComparison.Ordinal);
        Assert.Contains("--map names field '4'", Faults("id,name,age", map: ("4", "@"))[1], StringComparison.Ordinal);
        Assert.Contains("--map names field '01'", Faults("id,name,age", map: ("01", "@"))[1], StringComparison.Ordinal);
    }

    [Fact]
    public void A_field_with_a_question_mark_need_not_be_there()
    {
        Assert.Equal("name=0", Show(Map("name", map: ("extra?", "age"))));
        Assert.Equal("name=0 age=1", Show(Map("name,extra", map: ("extra?", "age"))));
        Assert.Equal("name=0 age=1", Show(Map("name,extra?", map: ("extra?", "age"))));
    }

    [Fact]
    public void Of_many_faults_ten_are_told_and_the_others_counted()
    {
        var faults = Faults(string.Join(',', Enumerable.Range(0, 100_000).Select(i => $"n{i}")));
        Assert.Equal("  and 99,991 more", faults[11]);
        Assert.Equal("  the file has:  n0, n1, n2, n3, n4, n5, n6, n7, n8, n9 and 99,990 more", faults[12]);
        Assert.Equal(14, faults.Length);
    }
}
