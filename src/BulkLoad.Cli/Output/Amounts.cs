namespace BulkLoad.Cli.Output;

/// <summary>Numbers for people.</summary>
internal static class Amounts
{
    private static readonly string[] Units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];

    /// <summary><c>1,234,567</c>.</summary>
    public static string Count(long number) => number.ToString("N0");

    /// <summary><c>1 record</c>, <c>1,000 records</c>.</summary>
    public static string Count(long number, string one, string? many = null) => Plural.Count(number, one, many);

    /// <summary><c>78.1 MB</c>, in powers of 1000.</summary>
    public static string Bytes(double bytes)
    {
        var unit = 0;
        while (bytes >= 999.95 && unit < Units.Length - 1)
        {
            bytes /= 1000;
            unit++;
        }

        return bytes.ToString(unit == 0 ? "0" : "0.0", CultureInfo.InvariantCulture) + " " + Units[unit];
    }

    /// <summary><c>2.41 s</c>, from a minute on <c>1:05</c>, from an hour on <c>2:03:04</c>.</summary>
    public static string Duration(TimeSpan time) => time.TotalSeconds switch
    {
        < 59.995 => time.TotalSeconds.ToString("0.00") + " s",
        _ => Clock(time),
    };

    /// <summary><c>0:07</c>, <c>1:05</c>, <c>2:03:04</c>.</summary>
    public static string Clock(TimeSpan time)
    {
        var seconds = (long)Math.Round(time.TotalSeconds);
        return seconds < 3600 ? $"{seconds / 60}:{seconds % 60:00}" : $"{seconds / 3600}:{seconds / 60 % 60:00}:{seconds % 60:00}";
    }

    /// <summary>Amount per second; 0: no time passed.</summary>
    public static double Rate(long amount, TimeSpan time) => time > TimeSpan.Zero ? amount / time.TotalSeconds : 0;
}
