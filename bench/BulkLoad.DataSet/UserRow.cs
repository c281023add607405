using System.Buffers.Text;
using System.Globalization;

namespace BulkLoad.DataSet;

/// <summary>One row as text, filled again and again: the numbers are formatted once, whatever the count of formats.</summary>
internal sealed class UserRow
{
    public static readonly UserColumn[] Columns =
    [
        new("id", IsNumber: true), new("name"), new("age", IsNumber: true),
        new("email"), new("score", IsNumber: true), new("created"),
    ];

    private static readonly double[] ScoreLimits =
        [double.MaxValue, double.MinValue, 2.2250738585072014E-308, 5E-324, 0, 1E+22, 9007199254740993, 0.1 + 0.2];

    private static readonly int[] AgeLimits = [int.MaxValue, int.MinValue, 0, -1];

    private static readonly DateTime FirstCreated = new(2000, 1, 1, 0, 0, 0, DateTimeKind.Unspecified);
    private static readonly int CreatedSeconds = (int)TimeSpan.FromDays(20 * 365).TotalSeconds;

    private readonly byte[] _text = new byte[1024];
    private readonly int[] _ends = new int[Columns.Length];
    private readonly bool[] _nulls = new bool[Columns.Length];
    private int _length;
    private int _column;

    public bool IsNull(int column) => _nulls[column];

    public ReadOnlySpan<byte> Text(int column)
    {
        int start = column == 0 ? 0 : _ends[column - 1];
        return _text.AsSpan(start, _ends[column] - start);
    }

    public void Fill(ulong seed, long id)
    {
        SplitMix64 random = SplitMix64.ForRow(seed, id);
        _length = 0;
        _column = 0;
        AppendNumber(id);
        EndField();
        UserName.Append(this, ref random);
        EndField();
        AppendAge(ref random);
        AppendEmail(ref random);
        AppendScore(ref random);
        AppendCreated(ref random);
    }

    internal void Append(ReadOnlySpan<byte> text)
    {
        text.CopyTo(_text.AsSpan(_length));
        _length += text.Length;
    }

    private void AppendAge(ref SplitMix64 random)
    {
        int roll = random.Below(1000);
        if (roll < 40)
        {
            EndNull();
            return;
        }

        AppendNumber(roll < 42 ? random.Pick(AgeLimits) : 18 + random.Below(80));
        EndField();
    }

    private void AppendEmail(ref SplitMix64 random)
    {
        int roll = random.Below(1000);
        if (roll < 30)
        {
            EndNull();
            return;
        }

        if (roll >= 50)
        {
            UserName.AppendEmail(this, ref random);
        }

        EndField();
    }

    private void AppendScore(ref SplitMix64 random)
    {
        int roll = random.Below(1000);
        if (roll < 50)
        {
            EndNull();
            return;
        }

        double score = roll switch
        {
            < 55 => random.Pick(ScoreLimits),
            < 65 => AnyFinite(random.Next()),
            < 115 => (random.Next() >> 11) * 1E-13,
            < 215 => random.Below(1000),
            < 415 => (random.Below(200_000_000) - 100_000_000) / 100_000d,
            _ => random.Below(1_000_000) / 100d,
        };
        // The shortest text that is read back as the same number.
        score.TryFormat(_text.AsSpan(_length), out int written, default, CultureInfo.InvariantCulture);
        _length += written;
        EndField();
    }

    private void AppendCreated(ref SplitMix64 random)
    {
        if (random.Below(1000) < 30)
        {
            EndNull();
            return;
        }

        DateTime created = FirstCreated.AddSeconds(random.Below(CreatedSeconds));
        created.TryFormat(_text.AsSpan(_length), out int written, "yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture);
        _length += written;
        EndField();
    }

    internal void AppendNumber(long number)
    {
        Utf8Formatter.TryFormat(number, _text.AsSpan(_length), out int written);
        _length += written;
    }

    private void EndField()
    {
        _nulls[_column] = false;
        _ends[_column++] = _length;
    }

    private void EndNull()
    {
        _nulls[_column] = true;
        _ends[_column++] = _length;
    }

    /// <summary>A double of any size: the exponent's top bit is cleared where it would make infinity or NaN.</summary>
    private static double AnyFinite(ulong bits)
    {
        double number = BitConverter.UInt64BitsToDouble(bits);
        return double.IsFinite(number) ? number : BitConverter.UInt64BitsToDouble(bits & ~(1UL << 62));
    }
}

internal sealed record UserColumn(string Name, bool IsNumber = false);
