using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Facts;

public sealed class VerifyRulesTests
{
    private static readonly TableColumn Id = Columns.Integer("id").Required();
    private static readonly TableColumn Code = Columns.Varchar("code").Required();
    private static readonly TableColumn Name = Columns.Varchar("name");
    private static readonly UniqueKey Primary = new("PRIMARY", [new KeyPart("id")]);

    private static LoadFacts Of(TableColumn[] columns, UniqueKey[] keys, TableColumn[]? mapped = null, LoadRequest? request = null)
    {
        var facts = TestFacts.Of(TestFacts.MariaDb, mapped ?? columns);
        return facts with
        {
            Table = Columns.Table(columns) with { UniqueKeys = keys },
            Request = (request ?? TestFacts.Request) with { Verify = VerifyMode.Checksum }
        };
    }

    private static string? Reason(LoadFacts facts) => VerifyRules.Of(facts)!.Unverifiable;

    [Fact]
    public void Nobody_asked() => Assert.Null(VerifyRules.Of(Of([Id], [Primary]) with { Request = TestFacts.Request }));

    [Fact]
    public void The_primary_key_finds_rows() => Assert.Equal([1], VerifyRules.Of(Of([Name, Id], [Primary]))!.Key);

    [Fact]
    public void Another_unique_key_does_where_the_file_has_not_the_primary_one()
    {
        var facts = Of([Id, Code, Name], [Primary, new("code", [new KeyPart("code")])], [Code, Name]);
        Assert.Equal([0], VerifyRules.Of(facts)!.Key);
        Assert.Equal(["code"], VerifyRules.Of(facts)!.Describe(facts).Key);
    }

    [Fact]
    public void A_key_of_the_servers_is_none() =>
        Assert.Equal("key 'PRIMARY' has column 'id', whose values are not in the file", Reason(Of([Id, Name], [Primary], [Name])));

    [Fact]
    public void No_key_is_none() =>
        Assert.Equal("shop.people has no primary or unique key that distinguishes its rows", Reason(Of([Id], [])));

    [Fact]
    public void Keys_that_do_not_tell_rows_by_whole_values_are_none()
    {
        const string not = "does not distinguish rows by their whole values";
        Assert.Contains(not, Reason(Of([Name], [new("name", [new KeyPart("name")])])), StringComparison.Ordinal);
        Assert.Contains(not, Reason(Of([Code], [new("code", [new KeyPart("code", 3)])])), StringComparison.Ordinal);
        Assert.Contains(not, Reason(Of([Code], [new("code", [new KeyPart(null)])])), StringComparison.Ordinal);
        Assert.Contains(not, Reason(Of([Columns.Float().Required()], [new("f", [new KeyPart("f")])])), StringComparison.Ordinal);
    }

    [Fact]
    public void Duplicates_and_triggers_make_rows_other_than_their_records()
    {
        Assert.Equal("with --on-duplicate ignore a row may differ from its record",
            Reason(Of([Id], [Primary], request: TestFacts.Request with { OnDuplicate = DuplicateMode.Ignore })));
        var facts = Of([Id], [Primary]);
        Assert.Equal("trigger t (BEFORE INSERT) may change the rows",
            Reason(facts with { Table = facts.Table with { InsertTriggers = ["u (AFTER INSERT)", "t (BEFORE INSERT)"] } }));
        Assert.Null(Reason(facts with { Table = facts.Table with { InsertTriggers = ["u (AFTER INSERT)"] } }));
        Assert.Null(Reason(facts with
        { Table = facts.Table with { InsertTriggers = ["t (BEFORE INSERT)"] }, Request = facts.Request with { Mode = JobMode.Verify } }));
    }

    [Fact]
    public void What_may_not_be_read_is_refused()
    {
        var facts = Of([Id, Name with { CanSelect = false }], [Primary]);
        Assert.Equal("--verify: this account may not read column 'name' of shop.people: GRANT SELECT ON shop.people to it",
            Assert.Throws<PlanException>(() => VerifyRules.Of(facts)).Message);
        Assert.Null(Reason(facts with { Request = facts.Request with { Verify = VerifyMode.Count } }));
    }

    [Fact]
    public void A_key_that_is_named_has_to_be_in_the_file_and_comparable()
    {
        Assert.Equal([1], VerifyRules.Of(Of([Id, Name], [], request: Named("NAME")))!.Key);
        Assert.Contains("has no column of that name", Fault("nick", [Id, Name]), StringComparison.Ordinal);
        Assert.Contains("the file does not have that column", Fault("name", [Id]), StringComparison.Ordinal);
        Assert.Contains("cannot be compared exactly", Fault("f", [Id, Columns.Float()]), StringComparison.Ordinal);

        static LoadRequest Named(string name) => TestFacts.Request with { Mode = JobMode.Verify, Key = new() { Columns = [name] } };
        static string Fault(string name, TableColumn[] mapped) =>
            Assert.Throws<PlanException>(() => VerifyRules.Of(Of([Id, Name, Columns.Float()], [], mapped, Named(name)))).Message;
    }
}
