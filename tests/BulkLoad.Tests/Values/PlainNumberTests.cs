using BulkLoad.Core.Input;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Notations;
using BulkLoad.Core.Values.Rules;

namespace BulkLoad.Tests.Values;

/// <summary>Numbers that are written in one pass beside the same numbers with an exponent, which go the longer way.</summary>
public sealed class PlainNumberTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Both_ways_say_the_same(bool isGerman)
    {
        var random = new Random(7);
        NumberNotation? notation = isGerman ? (NumberNotation)new NotationSet(
            [new(ValueAspect.DecimalPoint, null, ","), new(ValueAspect.Thousands, null, ".")]).For(Decimal(12, 3))! : null;
        var letters = isGerman ? "-0001234567890,.." : "-00012345678900..";
        ValueRule[] rules = [.. from size in new[] { (12, 3), (5, 5), (4, 0), (65, 30) } from isUnsigned in new[] { false, true }
                                select ValueRules.For(
                                    Decimal(size.Item1, size.Item2) with { IsUnsigned = isUnsigned }, Rules.Options(), notation)];
        var taken = 0;
        for (var i = 0; i < 50_000; i++)
        {
            var text = string.Concat(Enumerable.Range(0, random.Next(1, 9)).Select(_ => letters[random.Next(letters.Length)]));

            // A minus may be behind a number, but not before an exponent.
            text = (i % 100 == 0 ? $"{text}{new string('7', random.Next(90))}" : text).TrimEnd('-');
            foreach (var rule in rules)
            {
                var direct = Apply(rule, text);
                Assert.Equal($"{text}: {Apply(rule, $"{text}e0")}", $"{text}: {direct}");
                taken += direct[0] == '!' ? 0 : 1;
            }
        }

        Assert.True(taken > 20_000, $"{taken}");
    }

    private static TableColumn Decimal(int precision, int scale) => Columns.Decimal(precision, scale);

    private static string Apply(ValueRule rule, string text)
    {
        var block = new RowBlock(1, 4);
        if (rule.Add(Encoding.UTF8.GetBytes(text), block) is { } fault)
        {
            return $"!{fault.Code}";
        }

        block.EndRow(1, 1, 0, []);
        block.Get(0, 0, out var value);
        return Encoding.UTF8.GetString(value);
    }
}
