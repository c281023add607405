using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Tests.Input.Formats;

/// <summary>One record by itself: its fields after the repair, what was repaired, or the fault that remains.</summary>
public sealed class RecordRepairerTests
{
    /// <summary>Fields as <see cref="ReadRecord"/> writes them, then the kind of the repair and its words.</summary>
    [Theory]
    [InlineData("all", "1,x", 3, false, "1|x|- [few-fields: 1 missing fields take their defaults]")]
    [InlineData("all", "1,x,,", 2, false, "1|x [many-fields: empty fields at the end dropped]")]
    [InlineData("all", "1,x,y,z", 2, false, "!many-fields")] // which one is too much is not known
    [InlineData("all", "1,x,y,z", 2, true, "1|\"x,y,z\" [many-fields: surplus fields joined to the last one]")]
    [InlineData("all", "1,x,y", 0, false, "1|x|y")] // how many there should be is not known
    [InlineData("all", "1,x", 2, false, "1|x")]
    [InlineData("all", "1, x ,\"y\" ", 3, false, "1|x|\"y\" [padding: blanks around quotes removed; blanks around the field removed]")]
    [InlineData("all", "1;x;y", 3, false, "1|x|y [other-dialect: read with another delimiter or quote]")]
    [InlineData("all", "\0" + "1,x\0y", 2, false, "1|xy [nul-bytes: NUL bytes removed]")]
    [InlineData("all", "\ufeff1,\0x", 2, false, "1|x [byte-order-mark: byte order mark removed; NUL bytes removed]")]
    [InlineData("all", "1,x\"y", 2, false, "1|x\"y [stray-quote: quotes within the field taken for text]")]
    [InlineData("all", "1,\"x", 2, false, "1|\"x [unclosed-quote: the quote taken for text]")]
    [InlineData("all", "1,\"x,y", 2, false, "!unclosed-quote")] // what is behind the quote may be one field or two
    [InlineData("all", "1,\"a\"b\"", 2, false, "1|\"a\"b\" [text-after-quote: quotes within the field taken for text]")]
    [InlineData("few-fields", "1,x\"y", 3, false, "!stray-quote")]
    [InlineData("few-fields", "1,x,y", 2, false, "!many-fields")]
    [InlineData("many-fields", "1", 2, false, "!few-fields")]
    [InlineData("padding", "1, \"x\"", 2, false, "1|\"x\" [padding: blanks around quotes removed]")]
    [InlineData("stray-quote", "1, \"x\"", 2, false, "!padding")]
    [InlineData("stray-quote", "1;x", 2, false, "!other-dialect")]
    [InlineData("", "\ufeff1,x", 2, false, "!byte-order-mark")]
    public void A_record_is_repaired_as_allowed_or_not_at_all(string kinds, string record, int expected, bool joins, string outcome)
    {
        var policies = kinds.Length == 0
            ? DirtPolicies.None : DirtPolicies.None.With(kinds == "all" ? null : DirtPolicies.Find(kinds), DirtAction.Repair);
        var repairer = new RecordRepairer(Dialect.Of(new SourceOptions { Dirt = policies }, InputFormat.Csv));

        // What one record was repaired by is not said of the next one.
        repairer.Fix("1,x"u8, null, 3, joinsSurplus: false);
        Assert.Equal(outcome, Fix());
        Assert.Equal(outcome, Fix());

        string Fix()
        {
            if (repairer.Fix(Encoding.UTF8.GetBytes(record), null, expected, joins) is { } fault)
            {
                return $"!{fault.Code}";
            }

            var fields = Enumerable.Range(0, repairer.FieldCount).Select(field =>
            {
                var kind = repairer.GetField(field, out var value);
                var text = Encoding.UTF8.GetString(value);
                return kind == FieldKind.Missing ? "-" : kind == FieldKind.Quoted ? $"\"{text}\"" : text;
            });
            return string.Join('|', fields) + (repairer.Repair is { } repair ? $" [{repair.Code}: {repair.Message}]" : "");
        }
    }

    [Theory]
    [InlineData("1;x;y", 3, true)]
    [InlineData("1,x,y", 3, false)]
    [InlineData("1;x", 3, false)]
    [InlineData("1,2;3,4", 3, false)]
    public void A_record_of_another_dialect_is_known_by_its_fields(string record, int expected, bool isOther) => Assert.Equal(
        isOther,
        new RecordRepairer(Dialect.Of(new SourceOptions(), InputFormat.Csv)).IsOfOtherDialect(Encoding.UTF8.GetBytes(record), expected));
}
