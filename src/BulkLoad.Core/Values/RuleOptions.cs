using BulkLoad.Core.Input;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values;

/// <summary>What rules take from the request and the session.</summary>
/// <param name="Zone">the time zone in which times are meant</param>
/// <param name="Rounds">whether what is finer than the column is rounded, half away from zero, instead of refused</param>
/// <param name="TakesZeroDates">whether a year, month or day of zero is a date</param>
/// <param name="Binary">how fields of binary columns are written</param>
internal sealed record RuleOptions(ValueZone Zone, bool Rounds, bool TakesZeroDates, BinaryForm Binary = BinaryForm.Hex)
{
    public static RuleOptions Of(ValueOptions values, ValueZone zone) => new(zone, values.Round, values.ZeroDates, values.Binary ?? BinaryForm.Hex);
}
