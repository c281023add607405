using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;
using BulkLoad.Tests.Keys;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Jobs;

public sealed class CheckRunTests
{
    private static readonly TableColumn[] IdAndText = [Columns.Integer("id").Required(), Columns.Varchar("s")];
    private static readonly UniqueKey Primary = Checks.Key("PRIMARY", "id");

    [Theory]
    [InlineData("id,s\n", "0 0 0: ")]
    [InlineData("id,s\n1,a\n2,b\n", "2 0 0: ")]
    [InlineData("id,s\n1,a\n2,b\n1,c\n3,d\n1,e\n2,f\n", "3 0 3: 3=duplicate-key 5=duplicate-key 6=duplicate-key")]
    [InlineData("id,s\n7,a\n+7,b\n007,c\n7.0,d\n-7,e\n", "2 0 3: 2=duplicate-key 3=duplicate-key 4=duplicate-key")]
    [InlineData("id,s\nx,a\n1,b\n1,c\n1\n,d\n", "1 0 4: 1=not-an-integer 3=duplicate-key 4=few-fields 5=null-not-allowed")]
    public async Task Of_records_with_the_same_number_the_first_is_taken_and_rejects_are_in_order(string content, string expected) =>
        Assert.Equal(expected, Checks.Describe(await Checks.RunAsync(IdAndText, Checks.With(Primary), content)));

    [Fact]
    public async Task A_duplicate_is_told_with_its_place_and_bytes()
    {
        var report = await Checks.RunAsync(IdAndText, Checks.With(Primary), "id,s\n1,a\n\"01\",b\n");
        var reject = Assert.Single(report.FirstRejects);
        Assert.Equal("people.csv:3: column 'id': '1' is in an earlier record (key 'PRIMARY')", reject.Describe());
        Assert.Equal((2, 3, 9), (reject.Record, reject.Line, reject.Offset));
        Assert.Equal("\"01\",b"u8.ToArray(), reject.Text.ToArray());
    }

    [Fact]
    public async Task Records_of_all_inputs_are_compared()
    {
        var report = await Checks.RunAsync(
            IdAndText, Checks.With(Primary), [("a.csv", "id,s\n1,a\n2,b\n"), ("b.csv", "id,s\n3,c\n1,d\n"), ("c.csv", "id,s\n3,e\n4,f\n")]);
        Assert.Equal(["b.csv:3", "c.csv:2"], report.FirstRejects.Select(reject => $"{reject.Source}:{reject.Line}"));
        Assert.Equal((6, 4, 2), (report.Counts.Read, report.Counts.Accepted, report.Counts.Rejected));
    }

    [Theory]
    [InlineData("id,s\n1,a\n1,b\n2,b\n", "2 0 1: 2=duplicate-key")]
    [InlineData("id,s\n1,a\n1,b\n2,b\n3,b\n4,a\n", "2 0 3: 2=duplicate-key 4=duplicate-key 5=duplicate-key")]
    public async Task A_refused_record_leaves_its_other_keys_free(string content, string expected) =>
        Assert.Equal(expected, Checks.Describe(await Checks.RunAsync(IdAndText, Checks.With(Primary, Checks.TextKey()), content)));

    [Fact]
    public async Task Any_memory_gives_what_sending_one_by_one_would()
    {
        TableColumn[] columns = [Columns.Integer("a").Required(), Columns.Integer("b"), Columns.Integer("c")];
        var constraints = Checks.With(Checks.Key("PRIMARY", "a"), Checks.Key("b", "b"), Checks.Key("bc", "c", "a"));
        for (var seed = 0; seed < 20; seed++)
        {
            var random = new Random(seed);
            var records = Enumerable.Range(0, 400).Select(_ => new[]
            {
                $"{random.Next(300)}", random.Next(4) == 0 ? "" : $"{random.Next(200)}", random.Next(4) == 0 ? "" : $"{random.Next(9)}"
            }).ToArray();
            var content = "a,b,c\n" + string.Concat(records.Select(record => $"{string.Join(',', record)}\n"));
            var taken = new HashSet<string>();
            var refused = new List<long>();
            for (var i = 0; i < records.Length; i++)
            {
                var keys = new[]
                {
                    $"a{records[i][0]}", records[i][1] == "" ? "" : $"b{records[i][1]}",
                    records[i][2] == "" ? "" : $"c{records[i][2]},{records[i][0]}"
                }.Where(key => key != "").ToArray();
                if (keys.Any(taken.Contains))
                {
                    refused.Add(i + 1);
                }
                else
                {
                    taken.UnionWith(keys);
                }
            }

            foreach (var memory in (int[])[400, 1 << 20])
            {
                var report = await Checks.RunAsync(columns, constraints, content, sortBytes: memory);
                Assert.Equal(
                    (400 - refused.Count, refused.Count, 0), (report.Counts.Accepted, report.Counts.Rejected, report.Counts.Undecided));
                Assert.Equal(refused.Take(100), report.FirstRejects.Select(reject => reject.Record));
            }
        }
    }

    [Fact]
    public async Task Null_conflicts_with_nothing() =>
        Assert.Equal("3 0 1: 4=duplicate-key", Checks.Describe(await Checks.RunAsync(
            [Columns.Integer("id"), Columns.Integer("n")], Checks.With(Checks.Key("k", "id", "n")), "id,n\n,1\n,1\n2,1\n2,1\n")));

    [Fact]
    public async Task Values_of_a_key_of_several_columns_do_not_run_together() =>
        Assert.Equal("2 0 0: ", Checks.Describe(await Checks.RunAsync(
            [Columns.Varchar("s"), Columns.Varchar("u")],
            Checks.With(new UniqueKey("k", [new KeyPart("s"), new KeyPart("u")])), "s,u\na,bc\nab,c\n")));

    [Theory]
    [InlineData("utf8mb4_bin", "a\nA\na \n", "2 0 1: 3=duplicate-key")]
    [InlineData("latin1_bin", "a\nA\na \n", "2 0 1: 3=duplicate-key")]
    [InlineData("utf8mb4_0900_bin", "a\nA\na \n", "3 0 0: ")]
    [InlineData("utf8mb4_nopad_bin", "a\nA\na \n", "3 0 0: ")]
    [InlineData("utf8mb4_0900_as_cs", "a\nA\na \na\n", "3 0 1: 4=duplicate-key")]
    [InlineData("utf8mb4_uca1400_as_cs", "a\nA\na \n", "2 0 1: 3=duplicate-key")]
    [InlineData("utf8mb4_0900_as_cs", "a\nA\né\nb\nA\n", "2 2 1: 5=duplicate-key key-comparison*2")]
    [InlineData("utf8mb4_0900_as_cs", "a\nA\u0001\nb\n", "1 2 0:  key-comparison*2")]
    [InlineData("utf8mb4_hu_0900_as_cs", "a\nb\n", "1 1 0:  key-comparison*1")]
    [InlineData("utf8mb4_general_ci", "a\nb\nA\na\n", "2 0 2: 3=duplicate-key 4=duplicate-key")]
    [InlineData("utf8mb4_0900_ai_ci", "a\na \n", "2 0 0: ")]
    [InlineData("utf8mb4_0900_ai_ci", "a\n\u00e4\nb\n", "1 2 0:  key-comparison*2")]
    [InlineData("utf8mb4_swedish_ci", "v\nw\n", "1 1 0:  key-comparison*1")]
    [InlineData("utf8mb4_general_ci", "a\na \n", "1 0 1: 2=duplicate-key")]
    public async Task Text_is_compared_as_its_collation_does_or_left_to_the_server(string collation, string values, string expected) =>
        Assert.Equal(expected, Checks.Describe(await Checks.RunAsync([Columns.Varchar(
            "s", charset: collation.Split('_')[0], collation: collation)], Checks.With(Checks.TextKey()), $"s\n{values}")));

    [Theory]
    [InlineData("big5_bin", "big5", "1 1 0:  key-comparison*1")]
    [InlineData("utf8mb3_bin", "utf8mb3", "2 0 0: ")]
    public async Task Bytes_tell_only_where_the_character_set_is_one_to_one(string collation, string charset, string expected) =>
        Assert.Equal(expected, Checks.Describe(await Checks.RunAsync(
            [Columns.Varchar("s", charset: charset, collation: collation)], Checks.With(Checks.TextKey()), "s\na\nb\n")));

    [Theory]
    [InlineData(2, "1 0 1: 2=duplicate-key")]
    [InlineData(3, "2 0 0: ")]
    public async Task Of_a_prefix_key_only_the_first_characters_count(int prefix, string expected) =>
        Assert.Equal(
            expected, Checks.Describe(await Checks.RunAsync([Columns.Varchar("s")], Checks.With(Checks.TextKey(prefix)), "s\nüéa\nüéb\n")));

    [Fact]
    public async Task A_float_can_be_equal_to_another_text() =>
        Assert.Equal("1 1 1: 3=duplicate-key key-comparison*1",
            Checks.Describe(await Checks.RunAsync([Columns.Double()], Checks.With(Checks.Key("k", "x")), "x\n1\n1.0\n1\n")));

    [Theory]
    [InlineData("id,s\n,a\n,b\n", "2 0 0: ")]
    [InlineData("id,s\n5,a\n,b\n6,c\n5,d\n", "2 1 1: 4=duplicate-key key-comparison*1")]
    public async Task An_id_that_the_server_gives_may_be_that_of_a_later_record(string content, string expected) =>
        Assert.Equal(expected, Checks.Describe(await Checks.RunAsync([Columns.Id(), Columns.Varchar("s")], Checks.With(Primary), content)));

    [Theory]
    [InlineData(nameof(ColumnDefault.AutoIncrement), null, "2 0 0: ")]
    [InlineData(nameof(ColumnDefault.Null), null, "2 0 0: ")]
    [InlineData(nameof(ColumnDefault.Constant), "7", "1 0 1: 2=duplicate-key")]
    public async Task A_key_column_that_the_file_does_not_have_is_its_default(string columnDefault, string? text, string expected) =>
        Assert.Equal(expected, Checks.Describe(await Checks.RunAsync(
            [Columns.Integer("id") with { Default = Enum.Parse<ColumnDefault>(columnDefault), DefaultText = text }, Columns.Varchar("s")],
            Checks.With(Primary), "s\na\nb\n")));

    [Fact]
    public async Task A_key_that_the_server_works_out_is_undecided() =>
        Assert.Equal("1 1 0:  key-comparison*1", Checks.Describe(await Checks.RunAsync(
            [Columns.DateTime(name: "id") with { Default = ColumnDefault.Expression }, Columns.Varchar("s")], Checks.With(Primary),
            "s\na\nb\n")));

    [Theory]
    [InlineData(true, "1 2 1: 4=duplicate-key table-rows*2")]
    [InlineData(null, "1 2 1: 4=duplicate-key table-rows*2")]
    [InlineData(false, "3 0 1: 4=duplicate-key")]
    public async Task Rows_that_are_there_already_leave_keys_to_the_server(bool? hasRows, string expected) =>
        Assert.Equal(expected, Checks.Describe(await Checks.RunAsync(
            [Columns.Integer("id")], Checks.With(Primary) with { HasRows = hasRows }, "id\n1\n2\n\\N\n1\n")));

    [Fact]
    public async Task Rows_that_are_there_do_not_matter_without_a_key() =>
        Assert.Equal(
            "2 0 0: ", Checks.Describe(await Checks.RunAsync(IdAndText, Checks.Nothing with { HasRows = true }, "id,s\n1,a\n1,a\n")));

    [Fact]
    public async Task A_foreign_key_is_the_servers_unless_it_is_null() =>
        Assert.Equal("1 1 0:  foreign-key*1", Checks.Describe(await Checks.RunAsync(
            [Columns.Integer("id").Required(), Columns.Integer("boss")],
            Checks.Nothing with { ForeignKeys = [Checks.ForeignKey("id", "boss")] }, "id,boss\n1,\n2,1\n")));

    [Fact]
    public async Task A_foreign_key_of_a_column_that_stays_null_refers_to_nothing() =>
        Assert.Equal("1 0 0: ", Checks.Describe(await Checks.RunAsync(
            [Columns.Integer("id"), Columns.Integer("boss")], Checks.Nothing with { ForeignKeys = [Checks.ForeignKey("boss")] },
            "id\n1\n")));

    [Fact]
    public async Task What_else_only_the_server_can_tell_is_named()
    {
        const string Content = "id,s\n1,a\n1,b\n";
        var keys = Checks.With(Primary);
        Assert.Equal("0 1 1: 2=duplicate-key check-constraint*1",
            Checks.Describe(await Checks.RunAsync(IdAndText, keys with { HasChecks = true }, Content)));
        Assert.Equal("0 1 1: 2=duplicate-key partition*1",
            Checks.Describe(await Checks.RunAsync(IdAndText, keys with { CanLackPartition = true }, Content)));
        Assert.Equal("0 1 1: 2=duplicate-key trigger*1", Checks.Describe(await Checks.RunAsync(
            IdAndText, keys, Content, facts => facts with { Table = facts.Table with { InsertTriggers = ["t (AFTER INSERT)"] } })));
        Assert.Equal("0 1 1: 2=duplicate-key generated-column*1", Checks.Describe(await Checks.RunAsync(
            [.. IdAndText, Columns.Integer("g") with { IsGenerated = true }], keys, Content)));
        Assert.Equal("0 1 1: 2=duplicate-key default-expression*1", Checks.Describe(await Checks.RunAsync(
            [.. IdAndText, Columns.Integer("e") with { Default = ColumnDefault.Expression }], keys, Content)));
        Assert.Equal("1 0 1: 2=duplicate-key", Checks.Describe(await Checks.RunAsync(
            [.. IdAndText, Columns.DateTime(name: "now") with { Default = ColumnDefault.Expression }], keys, Content)));
        Assert.Equal("0 1 1: 2=duplicate-key charset*1",
            Checks.Describe(await Checks.RunAsync([IdAndText[0], Columns.Varchar("s", charset: "klingon")], keys, Content)));
        Assert.Equal("0 1 1: 2=duplicate-key set-expression*1", Checks.Describe(await Checks.RunAsync(
            [.. IdAndText, Columns.Integer("x")], keys, Content, facts => facts with { Assignments = [new ColumnAssignment("x", "1")] })));
        Assert.Equal("0 2 0:  key-comparison*1 generated-column*2", Checks.Describe(await Checks.RunAsync(
            IdAndText, Checks.With(new UniqueKey("k", [new KeyPart(null)])), Content)));
    }

    [Fact]
    public async Task What_follows_from_the_fate_of_an_undecided_record_is_undecided_too()
    {
        // If the server refuses record 1 for its foreign key, it takes 2, and then refuses 3. Record 5 is the same as 3, but after a sure
        // 4.
        TableColumn[] columns = [Columns.Integer("id").Required(), Columns.Integer("n"), Columns.Integer("boss")];
        var constraints = Checks.With(Primary, Checks.Key("n", "n")) with { ForeignKeys = [Checks.ForeignKey("boss")] };
        Assert.Equal("2 2 2: 2=duplicate-key 5=duplicate-key key-comparison*1 foreign-key*1", Checks.Describe(await Checks.RunAsync(
            columns, constraints, "id,n,boss\n1,1,9\n1,2,\n3,2,\n4,4,\n4,5,\n6,5,\n")));
    }

    [Fact]
    public async Task A_trigger_that_may_change_keys_leaves_them_to_the_server() =>
        Assert.Equal("0 2 0:  trigger*2", Checks.Describe(await Checks.RunAsync(
            IdAndText, Checks.With(Primary), "id,s\n1,a\n1,b\n",
            facts => facts with { Table = facts.Table with { InsertTriggers = ["t (BEFORE INSERT)"] } })));

    [Fact]
    public async Task A_time_without_a_known_zone_is_the_servers() =>
        Assert.Equal("1 1 0:  time-zone*1", Checks.Describe(await Checks.RunAsync(
            [Columns.Timestamp(), Columns.Integer("n")], Checks.Nothing, "at,n\n2024-01-01 00:00:00,1\n,2\n",
            facts => facts with { Server = facts.Server with { Zone = new("CEST", null) } })));

    [Fact]
    public async Task A_limit_that_was_asked_for_stops_the_check()
    {
        var report = await Checks.RunAsync(
            IdAndText, Checks.With(Primary), "id,s\n1,a\n1,b\nx,c\n2,d\n2,e\n3,f\n",
            request: Checks.Request with { GoesOnBeyondMaxRejects = false, MaxRejects = RejectLimit.OfRecords(2) });
        Assert.Equal(
            "people.csv:6: column 'id': '2' is in an earlier record (key 'PRIMARY')\n  stopped after 3 rejects, where --max-rejects is 2: "
                + "a check leaves the table as it was",
            Assert.IsType<RejectLimitException>(report.Failure).Told());
        Assert.Equal((2, 3, false), (report.Counts.Accepted, report.Counts.Rejected, report.IsBeyondMaxRejects));
        Assert.Equal(report.Counts.Read, report.Counts.Accepted + report.Counts.Rejected + report.Counts.NotCommitted);
    }

    [Fact]
    public async Task Without_a_limit_it_goes_on_and_says_that_an_import_would_not()
    {
        var report = await Checks.RunAsync(IdAndText, Checks.Nothing, "id,s\nx,a\ny,b\n3,c\n");
        Assert.Equal((1, 2, true, null), (report.Counts.Accepted, report.Counts.Rejected, report.IsBeyondMaxRejects, report.Failure));
    }
}
