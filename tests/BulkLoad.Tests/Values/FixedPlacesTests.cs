using BulkLoad.Core.Input;
using BulkLoad.Core.Values.Notations;

namespace BulkLoad.Tests.Values;

/// <summary>Patterns in which every digit has its place: texts of all lengths, and each byte of them changed.</summary>
public sealed class FixedPlacesTests
{
    [Theory]
    [InlineData("HH:mm", "HH:mm:00")]
    [InlineData("HHmm", "HH:mm:00")]
    [InlineData("HH:mm:ss", "HH:mm:ss")]
    [InlineData("ddMMyyyy", "yyyy-MM-dd")]
    [InlineData("dd.MM.yyyy", "yyyy-MM-dd")]
    [InlineData("yyyy年MM月dd日", "yyyy-MM-dd")]
    [InlineData("yyyyMMddHHmmss", "yyyy-MM-dd HH:mm:ss")]
    [InlineData("dd.MM.yyyyHH:mm", "yyyy-MM-dd HH:mm:00")]
    [InlineData("dd.MM.yyyy HH:mm", "yyyy-MM-dd HH:mm:00")]
    [InlineData("dd.MM.yyyy HH:mm:ss", "yyyy-MM-dd HH:mm:ss")]
    [InlineData("HH:mm:ss, MM/dd/yyyy", "yyyy-MM-dd HH:mm:ss")]
    [InlineData("dd.MM.yyyy 'um' HH:mm:ss 'Uhr'", "yyyy-MM-dd HH:mm:ss")]
    [InlineData("dd.MM.yyyy 'um' HH:mm:ss 'Uhr MEZ'", "yyyy-MM-dd HH:mm:ss")]
    [InlineData("dd.MM.yyyy 'um' HH:mm:ss 'Uhr MEZ!'", "yyyy-MM-dd HH:mm:ss")]
    public void A_digit_is_moved_and_anything_else_is_refused(string pattern, string standard)
    {
        var aspect = !pattern.Contains('y', StringComparison.Ordinal) ? ValueAspect.Time
            : pattern.Contains('H', StringComparison.Ordinal) ? ValueAspect.DateTime : ValueAspect.Date;
        var notation = new PatternNotation(
            new ValueFormat(aspect, null, pattern), TimePattern.Parse(new ValueFormat(aspect, null, pattern)));
        var random = new Random(1);
        for (var round = 0; round < 50; round++)
        {
            var time = new DateTime(1000, 1, 1).AddSeconds(random.NextInt64(280_000_000_000));
            var text = Encoding.UTF8.GetBytes(time.ToString(pattern, CultureInfo.InvariantCulture));
            Assert.Equal(time.ToString(standard, CultureInfo.InvariantCulture), Rewrite(notation, text));
            for (var at = 0; at < text.Length; at++)
            {
                var isDigit = text[at] is >= (byte)'0' and <= (byte)'9';
                var changed = text.ToArray();
                changed[at] = (byte)random.Next(256);
                var isStillDigit = changed[at] is >= (byte)'0' and <= (byte)'9';
                Assert.Equal(changed[at] == text[at] || (isDigit && isStillDigit), Rewrite(notation, changed) is not null);
            }

            Assert.Null(Rewrite(notation, text[1..]));
            Assert.Null(Rewrite(notation, [.. text, (byte)'0']));
        }

        Assert.Null(Rewrite(notation, []));
    }

    private static string? Rewrite(PatternNotation notation, byte[] text) =>
        notation.TryRewrite(text, new byte[ValueNotation.MaxBytes], out var value) ? Encoding.UTF8.GetString(value) : null;
}
