using BulkLoad.Core.Input;
using BulkLoad.Core.Values.Notations;

namespace BulkLoad.Tests.Values;

/// <summary>What cannot be meant by the options that say how values are written.</summary>
public sealed class NotationSetTests
{
    [Theory]
    [InlineData(nameof(ValueAspect.Date), "DD.MM.YYYY",
        "D is no part of a date or time; here it is dd.MM.yyyy; text is written in quotes, such as 'at'")]
    [InlineData(nameof(ValueAspect.Date), "uuuu-MM-dd",
        "u is no part of a date or time; here it is yyyy-MM-dd; text is written in quotes, such as 'at'")]
    [InlineData(nameof(ValueAspect.Date), "%d.%m.%Y", "patterns are written as in .NET, not with %: dd.MM.yyyy")]
    [InlineData(nameof(ValueAspect.DateTime), "%Y-%m-%dT%H:%i:%s.%f%z",
        "patterns are written as in .NET, not with %: yyyy-MM-ddTHH:mm:ss.ffffffzzz")]
    [InlineData(nameof(ValueAspect.Date), "dd.mm.yyyy", "mm are minutes, MM is the month: dd.MM.yyyy")]
    [InlineData(nameof(ValueAspect.Date), "dd.MM.yyyy HH:mm",
        "a DATE column holds no time of day (--datetime-format is for DATETIME and TIMESTAMP columns)")]
    [InlineData(nameof(ValueAspect.Date), "MM.yyyy", "a date has a year, a month and a day, such as dd.MM.yyyy")]
    [InlineData(nameof(ValueAspect.Date), "dd.MM.yyy", "yyy is no part of a date or time (a year is yyyy or yy)")]
    [InlineData(nameof(ValueAspect.Date), "dd.MM.yyyy 'Uhr", "the quote ' is not closed")]
    [InlineData(nameof(ValueAspect.Date), "dd.MM.MMM.yyyy", "a part of the date or time is there twice")]
    [InlineData(nameof(ValueAspect.Date), "dMyyyy",
        "a number of one digit or two, directly before another number, has no clear end: write two letters")]
    [InlineData(nameof(ValueAspect.DateTime), "dd.MM.yyyy hh:mm", "hh goes with tt (AM or PM), HH is the hour from 00 to 23")]
    [InlineData(nameof(ValueAspect.DateTime), "dd.MM.yyyy mm", "a time of day has hours, such as HH:mm")]
    [InlineData(nameof(ValueAspect.Time), "dd HH:mm", "a TIME column holds no date")]
    [InlineData(nameof(ValueAspect.Time), "mm:ss", "a time has hours, such as HH:mm, and no offset")]
    [InlineData(nameof(ValueAspect.Time), "epoch", "a TIME column holds no point in time")]
    public void A_pattern_that_is_none_is_refused(string aspect, string text, string why) =>
        Assert.Equal($"{ValueFormat.OptionOf(Enum.Parse<ValueAspect>(aspect))} {text}: {why}",
            Refusal(new ValueFormat(Enum.Parse<ValueAspect>(aspect), null, text)));

    [Theory]
    [InlineData("--decimal: 'comma' is not one character such as , that is no digit, letter, sign or blank",
        nameof(ValueAspect.DecimalPoint), "comma")]
    [InlineData(
        "--decimal: '1' is not one character such as , that is no digit, letter, sign or blank", nameof(ValueAspect.DecimalPoint), "1")]
    [InlineData("--thousands: '-' is not one character such as . or ', and not the word space", nameof(ValueAspect.Thousands), "-")]
    [InlineData("--thousands .: the point is before the fraction: add --decimal ,", nameof(ValueAspect.Thousands), ".")]
    [InlineData("--currency: '-' is not a sign or word such as € or EUR", nameof(ValueAspect.Currency), "€,-")]
    [InlineData(
        "--percent: 'yes' is not one of fraction (12.5 % is 0.125) and number (12.5 % is 12.5)", nameof(ValueAspect.Percent), "yes")]
    [InlineData("--true: a word is empty (an empty field without quotes is NULL, or what --empty says)", nameof(ValueAspect.True), "J,")]
    public void A_word_that_is_none_is_refused(string message, string aspect, string text) =>
        Assert.Equal(message, Refusal(new ValueFormat(Enum.Parse<ValueAspect>(aspect), null, text)));

    [Fact]
    public void What_contradicts_is_refused()
    {
        Assert.Equal("--decimal ,, --decimal .: a column's values are written in one way: give one of them",
            Refusal(new(ValueAspect.DecimalPoint, null, ","), new(ValueAspect.DecimalPoint, null, ".")));
        Assert.Equal("--decimal ,, --thousands ,: these must be different characters",
            Refusal(new(ValueAspect.DecimalPoint, null, ","), new(ValueAspect.Thousands, null, ",")));
        Assert.Equal("--true ja, --false ja: a word means one of them",
            Refusal(new(ValueAspect.True, null, "ja"), new(ValueAspect.False, null, "JA")));
    }

    [Fact]
    public void What_is_said_of_a_column_goes_before_what_is_said_of_all()
    {
        var set = new NotationSet([new(ValueAspect.Date, null, "dd.MM.yyyy"), new(ValueAspect.Date, "Born", "M/d/yyyy")]);
        set.Validate();
        Assert.True(Takes(set, "born", "12/31/2024"));
        Assert.False(Takes(set, "born", "31.12.2024"));
        Assert.True(Takes(set, "other", "31.12.2024"));
    }

    private static bool Takes(NotationSet set, string column, string text) =>
        set.For(Columns.Date() with { Name = column })!.TryRewrite(Encoding.UTF8.GetBytes(text), new byte[ValueNotation.MaxBytes], out _);

    private static string Refusal(params ValueFormat[] formats) =>
        Assert.Throws<RequestException>(() => new NotationSet(formats).Validate()).Message;
}
