using System.Globalization;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Mapping;

/// <summary>
/// DATE, DATETIME and TIMESTAMP (MySQL manual, "The DATE, DATETIME, and TIMESTAMP Types"): a date of the calendar, no finer than
/// the column; with an offset it is converted to the session's time zone.
/// </summary>
/// <param name="column">the target</param>
/// <param name="zone">the session's time zone; null where it is not known</param>
internal sealed class DateTimeRule(TableColumn column, TimeZoneInfo? zone) : ValueRule
{
    private static readonly ValueFault NotADate = new("not-a-date", "is not a date of the form YYYY-MM-DD[ hh:mm[:ss[.ffffff]]][Z|+hh:mm]");
    private static readonly ValueFault Impossible = new("impossible-date", "is a date or time that does not exist");
    private static readonly ValueFault HasTime = new("has-time", "has a time of day, which a DATE column does not keep");
    private static readonly ValueFault DateOffset = new("has-offset", "has a UTC offset, which a DATE column does not keep");
    private static readonly ValueFault UnknownZone = new("unknown-zone", "has a UTC offset, but the server's time zone is not known here: write it in the server's own time, without offset");
    private static readonly ValueFault OutOfRange = new("out-of-range", "is outside the years 1 to 9999 in the session's time zone");
    private static readonly ValueFault TimestampRange = new("out-of-range", "is outside TIMESTAMP's range, 1970-01-01 00:00:01 UTC on");
    private static readonly ValueFault SkippedTime = new("impossible-date", "is a time that the session's time zone skips (clocks go forward), which a TIMESTAMP column cannot keep");
    private static readonly ValueFault RepeatedTime = new("ambiguous-time", "falls into an hour that the session's time zone has twice (clocks go back), where a TIMESTAMP column could not tell which is meant");

    private readonly bool _isDate = column.Kind == ColumnKind.Date;
    private readonly bool _isTimestamp = column.Kind == ColumnKind.Timestamp;
    private readonly int _scale = column.Scale;

    private readonly ValueFault _tooFine = new(
        "too-many-decimals", string.Create(CultureInfo.InvariantCulture, $"has a finer fraction of a second than the column's {column.Scale} digits"));

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        if (!DateTimeText.TryParse(text, out var parsed, out var isImpossible))
        {
            return NotADate;
        }

        if (isImpossible)
        {
            return Impossible;
        }

        if (_isDate)
        {
            return AddDate(parsed, block);
        }

        if (parsed.FractionDigits > _scale)
        {
            return _tooFine;
        }

        var value = parsed.Value;
        if (parsed.Offset is { } offset)
        {
            if (zone is null)
            {
                return UnknownZone;
            }

            var utc = value.Ticks - offset.Ticks;
            if (utc < TimeSpan.TicksPerDay || utc > DateTime.MaxValue.Ticks - TimeSpan.TicksPerDay)
            {
                return OutOfRange;
            }

            value = TimeZoneInfo.ConvertTimeFromUtc(new DateTime(utc, DateTimeKind.Utc), zone);
        }

        if (_isTimestamp && FindTimestampFault(value, parsed.Offset is not null) is { } fault)
        {
            return fault;
        }

        block.Take(DateTimeText.WriteDateTime(value, block.Reserve(26)));
        return null;
    }

    /// <summary>TIMESTAMP keeps a moment: the server must find the one that is meant again in its local time.</summary>
    private ValueFault? FindTimestampFault(DateTime value, bool isConverted)
    {
        // Where exactly the range ends depends on zone and server, who are strict about it; this keeps clear of the calendar's ends.
        if (value.Year is < 1969 or > 2107)
        {
            return TimestampRange;
        }

        return zone is null ? null : LocalMoments.Count(zone, value) switch
        {
            0 => SkippedTime,
            > 1 when isConverted => RepeatedTime,
            _ => null,
        };
    }

    private static ValueFault? AddDate(DateTimeText parsed, RowBlock block)
    {
        if (parsed.Offset is not null)
        {
            return DateOffset;
        }

        if (parsed.Value.TimeOfDay != TimeSpan.Zero || parsed.FractionDigits > 0)
        {
            return HasTime;
        }

        block.Take(DateTimeText.WriteDate(parsed.Value, block.Reserve(10)));
        return null;
    }
}
