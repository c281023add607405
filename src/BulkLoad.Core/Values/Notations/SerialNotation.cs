using System.Buffers.Text;
using BulkLoad.Core.Input;

namespace BulkLoad.Core.Values.Notations;

/// <summary>Times as one number: <c>excel</c>, days since 1899-12-30 as spreadsheets count (day 60, 1900-02-29, did not exist) with the
/// time of day as a fraction, to the millisecond; <c>epoch</c> and <c>epoch-ms</c>, seconds and milliseconds since 1970 in UTC.</summary>
internal sealed class SerialNotation : ValueNotation
{
    private const string Excel = "excel";
    private const string Epoch = "epoch";
    private const string EpochMs = "epoch-ms";

    private const int MaxDigits = 18;
    private const long LastSerial = 2_958_465;

    /// <summary>More than a TIME column stores.</summary>
    private const int MaxTimeDays = 40;

    private const long MillisecondsPerDay = 86_400_000;

    private static readonly long FirstSecond = (DateTime.MinValue.Ticks - DateTime.UnixEpoch.Ticks) / TimeSpan.TicksPerSecond;
    private static readonly long LastSecond = (DateTime.MaxValue.Ticks - DateTime.UnixEpoch.Ticks) / TimeSpan.TicksPerSecond;

    private readonly ValueAspect _aspect;
    private readonly byte _point;
    private readonly bool _isExcel;
    private readonly bool _isMilliseconds;

    /// <param name="point">before the fraction of a number</param>
    /// <exception cref="RequestException">the word is none for a TIME column</exception>
    public SerialNotation(ValueFormat format, byte point)
    {
        (_aspect, _point) = (format.Aspect, point);
        _isExcel = format.Text == Excel;
        _isMilliseconds = format.Text == EpochMs;
        if (format.Aspect == ValueAspect.Time && !_isExcel)
        {
            throw new RequestException($"{format}: a TIME column holds no point in time");
        }

        Fault = format.Aspect == ValueAspect.Time
            ? new ValueFault("not-a-time", "is not a part of a day as spreadsheets count (--time-format excel)")
            : new ValueFault("not-a-date", _isExcel
                ? $"is not a number of days as spreadsheets count, from 1 to {LastSerial} and not 60 ({format})"
                : $"is not a number of {(_isMilliseconds ? "milliseconds" : "seconds")} since 1970 within the years 1 to 9999 ({format})");
    }

    public override ValueFault Fault { get; }

    public override bool ReadsJsonLiterals => true;

    public static bool IsWord(string text) => text is Excel or Epoch or EpochMs;

    public override bool TryRewrite(ReadOnlySpan<byte> text, Span<byte> room, out ReadOnlySpan<byte> value)
    {
        value = default;
        var length = 0;
        if (!TryRead(text, out var isNegative, out var whole, out var fraction)
            || !(_isExcel
                ? TryWriteExcel(isNegative, whole, fraction, room, ref length)
                : TryWriteEpoch(isNegative, whole, fraction, room, ref length)))
        {
            return false;
        }

        value = room[..length];
        return true;
    }

    /// <param name="fraction">digits behind the point, without trailing zeros</param>
    private bool TryRead(ReadOnlySpan<byte> text, out bool isNegative, out long whole, out ReadOnlySpan<byte> fraction)
    {
        isNegative = text.Length > 0 && text[0] == '-';
        text = isNegative ? text[1..] : text;
        var point = text.IndexOf(_point);
        var digits = point < 0 ? text : text[..point];
        fraction = point < 0 ? default : text[(point + 1)..];
        whole = 0;
        if (digits.IsEmpty || digits.Length > MaxDigits || digits.IndexOfAnyExceptInRange((byte)'0', (byte)'9') >= 0
            || fraction.IndexOfAnyExceptInRange((byte)'0', (byte)'9') >= 0 || (point >= 0 && fraction.IsEmpty)
            || !Utf8Parser.TryParse(digits, out whole, out _))
        {
            return false;
        }

        fraction = fraction.TrimEnd((byte)'0');
        return fraction.Length <= 40;
    }

    private bool TryWriteExcel(bool isNegative, long whole, ReadOnlySpan<byte> fraction, Span<byte> room, ref int length)
    {
        var time = 0L;
        if (!fraction.IsEmpty)
        {
            // A double has 15 to 17 digits: the rest says nothing about a millisecond.
            var known = fraction[..Math.Min(fraction.Length, MaxDigits)];
            var digits = 0L;
            foreach (var digit in known)
            {
                digits = (digits * 10) + digit - '0';
            }

            var unit = (Int128)Math.Pow(10, known.Length);
            time = (long)((((Int128)digits * MillisecondsPerDay) + (unit / 2)) / unit);
        }

        if (_aspect == ValueAspect.Time)
        {
            if (whole >= MaxTimeDays)
            {
                return false;
            }

            length = TimeText.Write(isNegative, ((whole * MillisecondsPerDay) + time) * TimeSpan.TicksPerMillisecond, room);
            return true;
        }

        if (time == MillisecondsPerDay)
        {
            (whole, time) = (whole + 1, 0);
        }

        if (isNegative || whole is < 1 or > LastSerial or 60)
        {
            return false;
        }

        var date = new DateTime(1899, 12, whole < 60 ? 31 : 30).AddDays(whole);
        length = _aspect == ValueAspect.Date && time == 0
            ? DateTimeText.WriteDate(date.Year, date.Month, date.Day, room)
            : DateTimeText.WriteDateTime(date.AddMilliseconds(time), room);
        return true;
    }

    private bool TryWriteEpoch(bool isNegative, long whole, ReadOnlySpan<byte> fraction, Span<byte> room, ref int length)
    {
        if (_isMilliseconds && !fraction.IsEmpty)
        {
            return false;
        }

        // Rounded down, so that the fraction is counted upwards from it.
        var (seconds, milliseconds) = _isMilliseconds ? (whole / 1000, whole % 1000) : (whole, 0L);
        var digits = room[(MaxBytes / 2)..];
        if (_isMilliseconds)
        {
            Put(digits, milliseconds, 3);
            fraction = digits[..3].TrimEnd((byte)'0');
        }

        if (isNegative && !fraction.IsEmpty)
        {
            // The rest of the second before.
            fraction.CopyTo(digits);
            var left = digits[..fraction.Length];
            for (var i = 0; i < left.Length; i++)
            {
                left[i] = (byte)('0' + '9' - left[i]);
            }

            left[^1]++;
            fraction = left;
            seconds++;
        }

        seconds = isNegative ? -seconds : seconds;
        if (seconds < FirstSecond || seconds > LastSecond)
        {
            return false;
        }

        var time = DateTime.UnixEpoch.AddSeconds(seconds);
        if (_aspect == ValueAspect.Date && time.TimeOfDay == TimeSpan.Zero && fraction.IsEmpty)
        {
            length = DateTimeText.WriteDate(time.Year, time.Month, time.Day, room);
            return true;
        }

        length = DateTimeText.WriteDateTime(time, room);
        if (!fraction.IsEmpty)
        {
            room[length++] = (byte)'.';
            fraction.CopyTo(room[length..]);
            length += fraction.Length;
        }

        if (_aspect == ValueAspect.DateTime)
        {
            room[length++] = (byte)'Z';
        }

        return true;
    }

    private static int Put(Span<byte> output, long value, byte digits)
    {
        Utf8Formatter.TryFormat(value, output, out var written, new System.Buffers.StandardFormat('D', digits));
        return written;
    }
}
