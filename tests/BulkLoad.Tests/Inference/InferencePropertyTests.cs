using BulkLoad.Core.Inference;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Values.Rules;
using FsCheck;
using FsCheck.Fluent;

namespace BulkLoad.Tests.Inference;

/// <summary>What the inference is for, on random columns; a failure prints its seed.</summary>
public sealed class InferencePropertyTests
{
    private const int Columns = 3000;

    /// <summary>Pieces of which most things that look like numbers and dates are made.</summary>
    private static readonly string[] Pieces =
    [
        "0", "1", "7", "9", "00", "12", "127", "128", "255", "32768", "8388608", "2147483648", "9223372036854775807", "9223372036854775808",
        "18446744073709551616", "99999999999999999999999999999999", "-", "+", ".", "e", "E-", "e+", ":", "30", "59", "Z",
        "+02:00", "T", " ",
        "2024-02-29", "0000-00-00", "9999-12-31", "0001-01-01", "10:00", "23:59:59.999999", "true", "no", "x", "ä", "😀", "{}", "[1]",
        "[1.10]", "\\", "'",
    ];

    private static readonly Gen<string> Value = Gen.OneOf(
        Gen.Elements(Pieces),
        Gen.Elements(Pieces).ListOf().Where(pieces => pieces.Count < 6).Select(string.Concat),
        ArbMap.Default.GeneratorFor<long>().Select(number => $"{number}"),
        ArbMap.Default.GeneratorFor<decimal>().Select(number => $"{number}"),
        ArbMap.Default.GeneratorFor<double>().Where(double.IsFinite).Select(number => $"{number:R}"),
        ArbMap.Default.GeneratorFor<DateTime>().Select(time => $"{time:yyyy-MM-dd HH:mm:ss.FFFFFFF}"),
        ArbMap.Default.GeneratorFor<DateTime>().Select(time => $"{time:yyyy-MM-ddTHH:mm:ss}Z"));

    /// <summary>Columns of one kind of value are as likely as mixtures.</summary>
    private static readonly Gen<string[]> Column = Gen.OneOf(
        Value.ArrayOf().Where(values => values.Length > 0),
        Value.Select(value => new[] { value }),
        ArbMap.Default.GeneratorFor<short>().ArrayOf().Select(numbers => numbers.Select(number => $"{number / 100m}").ToArray()),
        ArbMap.Default.GeneratorFor<double>().Where(double.IsFinite).ArrayOf()
            .Select(numbers => numbers.Select(number => $"{number:0.###e+0}").ToArray()));

    [Fact]
    public void Every_column_holds_every_value_that_decided_it() =>
        Prop.ForAll(Column.ToArbitrary(), values =>
        {
            foreach (var takesZeroDates in new[] { false, true })
            {
                var column = Inferred.Of(Inferred.Utc, takesZeroDates, values).Column;
                var rule = ValueRules.For(column, new RuleOptions(Inferred.Utc, rounds: false, takesZeroDates));
                foreach (var value in values)
                {
                    var fault = rule.Add(Encoding.UTF8.GetBytes(value), new RowBlock(1, 64));
                    Assert.True(fault is null, $"{column.TypeText}: '{value}' {fault?.Message}");
                }
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(Columns));

    [Fact]
    public void A_column_of_numbers_is_never_text() =>
        Prop.ForAll(ArbMap.Default.ArbFor<long[]>().Filter(numbers => numbers.Length > 0), numbers =>
        {
            var values = numbers.Select(number => $"{number}").ToArray();
            Assert.EndsWith("int not null", Inferred.TypeOf(values), StringComparison.Ordinal);
        }).Check(Config.QuickThrowOnFailure);

    [Fact]
    public void The_order_of_records_does_not_matter() =>
        Prop.ForAll(Column.ToArbitrary(), values =>
            Inferred.TypeOf(values) == Inferred.TypeOf([.. values.Reverse()])).Check(Config.QuickThrowOnFailure.WithMaxTest(Columns));

    [Fact]
    public void A_value_allocates_nothing()
    {
        byte[][] values = [.. new[]
        {
            "12345", "-1.25", "1.5e-7", "true", "2024-02-29", "2024-02-29T10:00:00.5Z", "08:30", """{"a":[1]}""", "Grüße 😀",
            "12345678901234567890"
        }.Select(Encoding.UTF8.GetBytes)];
        var columns = values.Select(_ => new ColumnEvidence(takesZeroDates: false)).ToArray();
        AddMany(1000);
        var before = GC.GetAllocatedBytesForCurrentThread();
        AddMany(20_000);
        var allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.True(allocated < 10_000, $"{allocated} bytes for {values.Length * 20_000} values");

        void AddMany(int count)
        {
            for (var i = 0; i < count; i++)
            {
                for (var column = 0; column < values.Length; column++)
                {
                    columns[column].AddText(values[column], new Place(0, i));
                    columns[column].AddScalar(values[column], new Place(0, i), JsonKind.Literal);
                }
            }
        }
    }
}
