using System.CommandLine;
using BulkLoad.Core.Input;

namespace BulkLoad.Cli.Options;

/// <summary>How dates, times, numbers and true/false words are written.</summary>
internal sealed class FormatArguments : ArgumentGroup
{
    private const string OrColumn = "; COLUMN=... for one column only; repeatable";

    private readonly List<(ValueAspect Aspect, Option<ValueFormat[]> Option)> _formats = [];

    public FormatArguments() : base("How values are written")
    {
        Declare(ValueAspect.Date, "PATTERN",
            $"dates of DATE columns, such as dd.MM.yyyy, M/d/yy or d-MMM-yyyy, or excel (a number of days), epoch, epoch-ms{OrColumn}");
        Declare(ValueAspect.DateTime, "PATTERN",
            $"values of DATETIME and TIMESTAMP columns, such as 'dd.MM.yyyy HH:mm' or 'M/d/yyyy h:mm tt', or excel, epoch (seconds since "
                + $"1970), epoch-ms{OrColumn}");
        Declare(ValueAspect.Time, "PATTERN", $"times of TIME columns, such as 'h:mm tt', or excel (a part of a day){OrColumn}");
        Declare(ValueAspect.DecimalPoint, "CHAR", $"the character before a number's fraction, such as a comma{OrColumn}");
        Declare(ValueAspect.Thousands, "CHAR", $"the character between thousands, such as a point, or space: any kind of blank{OrColumn}");
        Declare(ValueAspect.Currency, "SIGN,...", $"currency signs or words beside numbers, which are left out, such as €,EUR{OrColumn}");
        Declare(ValueAspect.Percent, "MEANING",
            $"numbers with a percent sign: fraction (12.5 % is 0.125) or number (12.5 % is 12.5){OrColumn}");
        Declare(ValueAspect.True, "WORD,...", $"words for true, beside the usual ones, in any case{OrColumn}");
        Declare(ValueAspect.False, "WORD,...", $"words for false, beside the usual ones, in any case{OrColumn}");
    }

    public IReadOnlyList<ValueFormat> Bind(ParseResult words) => [.. _formats.SelectMany(format => words.GetValue(format.Option) ?? [])];

    private void Declare(ValueAspect aspect, string helpName, string description) =>
        _formats.Add((aspect, Several(ValueFormat.OptionOf(aspect), helpName, description, text => Read(aspect, text))));

    private static ValueFormat Read(ValueAspect aspect, string text) => text.IndexOf('=', StringComparison.Ordinal) switch
    {
        _ when text.Length == 0 => throw new FormatException("is empty"),
        < 0 => new ValueFormat(aspect, null, text),
        0 => new ValueFormat(aspect, null, text[1..]),
        var at => new ValueFormat(aspect, text[..at], text[(at + 1)..]),
    };
}
