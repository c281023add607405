using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values;
using BulkLoad.Core.Values.Rules;

namespace BulkLoad.Tests.Values;

/// <summary>Runs one value through its column's rule.</summary>
internal static class Rules
{
    /// <summary>The canonical text, or <c>!code</c>. Whatever is taken once must be taken again, unchanged.</summary>
    public static string Apply(TableColumn column, string text, TimeZoneInfo? zone = null) =>
        Apply(column, Encoding.UTF8.GetBytes(text), Options(zone));

    public static string Apply(TableColumn column, byte[] text) => Apply(column, text, Options());

    public static string Apply(TableColumn column, string text, RuleOptions options) =>
        Apply(column, Encoding.UTF8.GetBytes(text), options);

    private static string Apply(TableColumn column, byte[] text, RuleOptions options)
    {
        var rule = ValueRules.For(column, options);
        var result = Once(rule, text, out var canonical);
        if (result is null && !options.Zone.ConvertsTimestamps)
        {
            Assert.Null(Once(rule, canonical, out var again));
            Assert.Equal(canonical, again);
        }

        return result is null ? Encoding.UTF8.GetString(canonical) : $"!{result.Code}";
    }

    /// <summary>As without any option, in a session of that zone.</summary>
    public static RuleOptions Options(TimeZoneInfo? zone = null) => new(new ValueZone("here", zone), rounds: false, takesZeroDates: false);

    public static ValueFault? Fault(TableColumn column, string text, TimeZoneInfo? zone = null) =>
        Once(ValueRules.For(column, Options(zone)), Encoding.UTF8.GetBytes(text), out _);

    private static ValueFault? Once(ValueRule rule, byte[] text, out byte[] canonical)
    {
        // A neighbour on the left shows whether a rule writes where it must not.
        var block = new RowBlock(2, 4);
        block.AddValue("left"u8);
        var fault = rule.Add(text, block);
        if (fault is not null)
        {
            block.AddValue("right"u8);
            block.EndRow(1, 1, 0, []);
            Assert.Equal("left\u001fright\u001e"u8, block.TextOf(0, 1).Span);
            canonical = [];
            return fault;
        }

        block.EndRow(1, 1, 0, []);
        Assert.Equal(CellState.Value, block.Get(0, 1, out var value));
        canonical = value.ToArray();
        block.Get(0, 0, out var left);
        Assert.Equal("left"u8, left);
        return null;
    }
}
