using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Notations;

namespace BulkLoad.Core.Values.Rules;

/// <summary>DATE, DATETIME and TIMESTAMP (MySQL manual, "The DATE, DATETIME, and TIMESTAMP Types"): a date of the calendar, no finer than
/// the column; a time with an offset is converted to the time zone of the input's times.</summary>
/// <param name="notation">null: values are written as the server writes them</param>
internal sealed class DateTimeRule(TableColumn column, RuleOptions options, PatternNotation? notation = null) : ValueRule
{
    private static readonly ValueFault NotADate = new("not-a-date", "is not a date such as 1990-01-31, or 1990-01-31 23:59:00");
    private static readonly ValueFault Impossible = new("impossible-date", "is a date or time that does not exist");
    private static readonly ValueFault ZeroDate = new(
        "impossible-date", "is a date that does not exist (--zero-dates accepts a year, month or day of zero)");
    private static readonly ValueFault ZeroTimestamp = new(
        "impossible-date", "is no moment: of the zero dates a TIMESTAMP column keeps only 0000-00-00 00:00:00");
    private static readonly ValueFault ZeroOffset = new("has-offset", "has a UTC offset, and a zero date cannot be converted");
    private static readonly ValueFault HasTime = new("has-time", "has a time of day, which a DATE column does not keep");
    private static readonly ValueFault DateOffset = new("has-offset", "has a UTC offset, which a DATE column does not keep");
    private static readonly ValueFault UnknownZone = new("unknown-zone", "has a UTC offset, but the server's time zone is not known " +
        "here: name it with --time-zone, or write the time in the server's own, without offset");
    private static readonly ValueFault OutOfRange = new("out-of-range", "is outside the years 1 to 9999 in the session's time zone");
    private static readonly ValueFault RoundsTooFar = new("out-of-range", "is rounded to a time beyond the column's last");
    private static readonly ValueFault TimestampRange = new(
        "out-of-range", "is outside TIMESTAMP's range, 1970-01-01 00:00:01 to 2038-01-19 03:14:07 UTC");
    private static readonly ValueFault SkippedTime = new(
        "impossible-date", "is a time that the session's time zone skips (clocks go forward), which a TIMESTAMP column cannot keep");
    private static readonly ValueFault RepeatedTime = new("ambiguous-time", "falls into an hour that the session's time zone has twice " +
        "(clocks go back), and a TIMESTAMP column does not keep which one: use --time-zone with UTC, an offset or a zone's name");
    private static readonly ValueFault TwiceMeant = new("ambiguous-time", "falls into an hour that the time zone has twice (clocks go " +
        "back): write it with its UTC offset, or give one for all times, such as --time-zone +01:00");

    private static readonly DateTime FirstMoment = new(1970, 1, 1, 0, 0, 1, DateTimeKind.Utc);
    private static readonly DateTime LastMoment = new DateTime(2038, 1, 19, 3, 14, 7, DateTimeKind.Utc).AddTicks(9_999_990);

    private readonly bool _isDate = column.Kind == ColumnKind.Date;
    private readonly bool _isTimestamp = column.Kind == ColumnKind.Timestamp;

    /// <summary>Whether a date with a time of whole seconds stays as it is.</summary>
    private readonly bool _isPlain = column.Kind == ColumnKind.DateTime;

    private readonly int _scale = column.Scale;
    private readonly bool _rounds = options.Rounds;
    private readonly bool _takesZeroDates = options.TakesZeroDates;
    private readonly bool _convertsTimestamps = options.Zone.ConvertsTimestamps;
    private readonly TimeZoneInfo? _zone = options.Zone.Zone;
    private readonly ValueFault _tooFine = ValueFault.TooFineTime(column);
    private readonly FixedPlaces? _places = notation?.Places;
    private readonly byte[] _rewritten = new byte[notation is null ? 0 : ValueNotation.MaxBytes];

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        if (_places is not null && _places.TryMove(text, _rewritten, out var length))
        {
            text = _rewritten.AsSpan(0, length);
        }
        else if (notation is not null && !notation.TryRewrite(text, _rewritten, out text))
        {
            return notation.Fault;
        }

        if (_isPlain && DateTimeText.TryParsePlain(text, out _, out _))
        {
            block.AddValue(text);
            return null;
        }

        if (!DateTimeText.TryParse(text, out var parsed, out var isImpossible))
        {
            return NotADate;
        }

        if (isImpossible)
        {
            return Impossible;
        }

        if (parsed.HasZeroPart && FindZeroFault(parsed) is { } zeroFault)
        {
            return zeroFault;
        }

        if (_isDate)
        {
            return AddDate(parsed, block);
        }

        if (parsed.FractionDigits > _scale && !_rounds)
        {
            return _tooFine;
        }

        if (parsed.HasZeroPart)
        {
            return AddZeroDate(parsed, block);
        }

        return AddDateTime(parsed, block);
    }

    private ValueFault? FindZeroFault(DateTimeText parsed)
    {
        if (!_takesZeroDates)
        {
            return ZeroDate;
        }

        if (parsed.Offset is not null)
        {
            return ZeroOffset;
        }

        return _isTimestamp && (parsed.Year | parsed.Month | parsed.Day) + parsed.TimeOfDay != 0 ? ZeroTimestamp : null;
    }

    private static ValueFault? AddDate(DateTimeText parsed, RowBlock block)
    {
        if (parsed.Offset is not null)
        {
            return DateOffset;
        }

        if (parsed.TimeOfDay != 0 || parsed.FractionDigits > 0)
        {
            return HasTime;
        }

        block.Take(DateTimeText.WriteDate(parsed.Year, parsed.Month, parsed.Day, block.Reserve(10)));
        return null;
    }

    /// <summary>No day follows such a date, so that rounding must not reach one.</summary>
    private ValueFault? AddZeroDate(DateTimeText parsed, RowBlock block)
    {
        var time = FractionText.Round(parsed.TimeOfDay, _scale);
        if (time >= TimeSpan.TicksPerDay)
        {
            return RoundsTooFar;
        }

        block.Take(DateTimeText.WriteDateTime(parsed.Year, parsed.Month, parsed.Day, time, block.Reserve(DateTimeText.MaxBytes)));
        return null;
    }

    private ValueFault? AddDateTime(DateTimeText parsed, RowBlock block)
    {
        var value = parsed.Value;
        if (parsed.FractionDigits > _scale)
        {
            var ticks = FractionText.Round(value.Ticks, _scale);
            if (ticks > DateTime.MaxValue.Ticks)
            {
                return RoundsTooFar;
            }

            value = new DateTime(ticks);
        }

        if (parsed.Offset is { } offset)
        {
            return AddMoment(value.Ticks - offset.Ticks, block);
        }

        return _isTimestamp ? AddLocalTimestamp(value, block) : Take(value, block);
    }

    /// <summary>Adds a time that had an offset: in the session's time zone, or as UTC if the session runs in UTC.</summary>
    private ValueFault? AddMoment(long utcTicks, RowBlock block)
    {
        if (_zone is null)
        {
            return UnknownZone;
        }

        if (utcTicks < TimeSpan.TicksPerDay || utcTicks > DateTime.MaxValue.Ticks - TimeSpan.TicksPerDay)
        {
            return OutOfRange;
        }

        var utc = new DateTime(utcTicks, DateTimeKind.Utc);
        if (_isTimestamp && _convertsTimestamps)
        {
            return IsMoment(utc) ? Take(utc, block) : TimestampRange;
        }

        var local = TimeZoneInfo.ConvertTimeFromUtc(utc, _zone);
        if (!_isTimestamp)
        {
            return Take(local, block);
        }

        // The local time must lead the server to the same moment.
        return !IsMoment(utc) ? TimestampRange : LocalMoments.Find(_zone, local, out _) > 1 ? RepeatedTime : Take(local, block);
    }

    private ValueFault? AddLocalTimestamp(DateTime local, RowBlock block)
    {
        if (_zone is null || !IsNearMoments(local))
        {
            return IsNearMoments(local) ? Take(local, block) : TimestampRange;
        }

        var moments = LocalMoments.Find(_zone, local, out var utc);
        if (moments == 0)
        {
            return SkippedTime;
        }

        if (!IsMoment(utc))
        {
            return TimestampRange;
        }

        return moments > 1 ? TwiceMeant : Take(_convertsTimestamps ? utc : local, block);
    }

    private static bool IsMoment(DateTime utc) => utc >= FirstMoment && utc <= LastMoment;

    /// <summary>Within a day of the range: where the zone is not known, the server, which is strict about it, refuses the rest.</summary>
    private static bool IsNearMoments(DateTime local) => local >= FirstMoment.AddDays(-1) && local <= LastMoment.AddDays(1);

    private static ValueFault? Take(DateTime value, RowBlock block)
    {
        block.Take(DateTimeText.WriteDateTime(value, block.Reserve(DateTimeText.MaxBytes)));
        return null;
    }
}
