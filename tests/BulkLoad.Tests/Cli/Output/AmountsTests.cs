using BulkLoad.Cli.Output;

namespace BulkLoad.Tests.Cli.Output;

public sealed class AmountsTests
{
    [Theory]
    [InlineData(0, "0 B")]
    [InlineData(999, "999 B")]
    [InlineData(1_000, "1.0 kB")]
    [InlineData(999_949, "999.9 kB")]
    [InlineData(999_960, "1.0 MB")]
    [InlineData(1_234_567_890, "1.2 GB")]
    public void Bytes_have_one_decimal_and_a_unit(double bytes, string text) => Assert.Equal(text, Amounts.Bytes(bytes));

    [Theory]
    [InlineData(0.004, "0.00 s")]
    [InlineData(59.99, "59.99 s")]
    [InlineData(59.999, "1:00")]
    [InlineData(65, "1:05")]
    [InlineData(7384, "2:03:04")]
    public void Times_are_seconds_then_a_clock(double seconds, string text) =>
        Assert.Equal(text, Amounts.Duration(TimeSpan.FromSeconds(seconds)));
}
