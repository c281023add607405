using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Repairing;

/// <summary>Looks at records without a fault for dirt that only somebody who named it wants to hear of: NUL bytes, blanks, line
/// ends.</summary>
internal sealed class DirtSigns
{
    private readonly DirtPolicies _policies;
    private ulong _newline;

    private DirtSigns(DirtPolicies policies) => _policies = policies;

    /// <summary>Null where nobody asked for any of them.</summary>
    public static DirtSigns? For(DirtPolicies policies) =>
        policies.Names(DirtKind.NulBytes) || policies.Names(DirtKind.MixedNewlines) || policies[DirtKind.Padding] == DirtAction.Repair
            ? new DirtSigns(policies) : null;

    /// <summary>Whether the record's line end is that of the first line; the first line's is remembered.</summary>
    public RecordFault? FindOtherNewline(ReadOnlySpan<byte> rest)
    {
        if (!_policies.Names(DirtKind.MixedNewlines))
        {
            return null;
        }

        var newline = rest.IsEmpty ? 0 : rest.StartsWith("\r\n"u8) ? 0x0D0AUL : rest[0];
        var isOther = newline != 0 && _newline != 0 && newline != _newline;
        _newline = _newline == 0 ? newline : _newline;
        return isOther ? RecordFaults.MixedNewlines : null;
    }

    /// <summary>Whether there is something in the current record to be taken out.</summary>
    public bool AreIn(IRecordReader reader) =>
        (_policies.Names(DirtKind.NulBytes) && reader.RawRecord.Contains((byte)0))
        || (_policies[DirtKind.Padding] == DirtAction.Repair && HasPadding(reader));

    private static bool HasPadding(IRecordReader reader)
    {
        for (var i = 0; i < reader.FieldCount; i++)
        {
            if (reader.GetField(i, out var value) == FieldKind.Bare && value.Length > 0 && (IsBlank(value[0]) || IsBlank(value[^1])))
            {
                return true;
            }
        }

        return false;
    }

    private static bool IsBlank(byte value) => value is (byte)' ' or (byte)'\t';
}
