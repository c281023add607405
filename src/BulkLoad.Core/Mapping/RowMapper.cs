using System.Text;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Mapping;

/// <summary>Turns records into rows of canonical values. One for each input; not thread-safe.</summary>
internal sealed class RowMapper
{
    private static readonly ValueFault NullNotAllowed = new("null-not-allowed", "is NULL, and the column is NOT NULL");
    private static readonly ValueFault EmptyNotAllowed = new("null-not-allowed", "is empty, and the column is NOT NULL (an unquoted empty field is NULL)");
    private static readonly ValueFault Missing = new("missing-value", "is missing, and the column is NOT NULL without a default");

    private readonly TableColumn[] _columns;
    private readonly int[] _fieldOf;
    private readonly ValueRule[] _rules;
    private readonly byte[]?[] _defaults;
    private readonly byte[][] _nullTexts;

    /// <param name="mapping">where fields go</param>
    /// <param name="zone">the session's time zone; null where it is not known</param>
    /// <param name="nullValues">unquoted texts that mean NULL, beside the empty field and <c>\N</c></param>
    public RowMapper(ColumnMapping mapping, TimeZoneInfo? zone, IReadOnlyList<string> nullValues)
    {
        _columns = [.. mapping.Columns];
        _fieldOf = [.. mapping.FieldOf];
        _rules = [.. _columns.Select(column => ValueRules.For(column, zone))];
        _defaults = [.. _columns.Select(column => column is { Default: ColumnDefault.Constant, DefaultText: { } text } ? Encoding.UTF8.GetBytes(text) : null)];
        _nullTexts = [.. nullValues.Where(text => text.Length > 0).Append(@"\N").Select(Encoding.UTF8.GetBytes)];
    }

    /// <summary>Adds the reader's current record to the block as a row, or says why it cannot be one and adds nothing.</summary>
    /// <param name="reader">stands at the record</param>
    /// <param name="offset">of the record in the undecoded input</param>
    /// <param name="block">takes the row</param>
    public RecordFault? Add(IRecordReader reader, long offset, RowBlock block)
    {
        if (reader.Fault is { } fault)
        {
            return fault;
        }

        for (var i = 0; i < _rules.Length; i++)
        {
            var kind = reader.GetField(_fieldOf[i], out var value);
            var valueFault = kind switch
            {
                FieldKind.Quoted => _rules[i].Add(value, block),
                FieldKind.Bare => value.IsEmpty || IsNullText(value) ? AddNull(_columns[i], value, block) : _rules[i].Add(value, block),
                FieldKind.Null => AddNull(_columns[i], @"\N"u8, block),
                _ => AddMissing(i, block),
            };
            if (valueFault is not null)
            {
                block.AbandonRow();
                return Describe(valueFault, kind, value, i);
            }
        }

        block.EndRow(reader.RecordNumber, reader.LineNumber, offset, reader.RawRecord);
        return null;
    }

    /// <summary>The column that a fault of <see cref="Add"/> points at, or null.</summary>
    public string? ColumnOf(RecordFault fault) => Array.IndexOf(_fieldOf, fault.Field) is >= 0 and var i ? _columns[i].Name : null;

    private bool IsNullText(ReadOnlySpan<byte> value)
    {
        foreach (var text in _nullTexts)
        {
            if (value.SequenceEqual(text))
            {
                return true;
            }
        }

        return false;
    }

    private static ValueFault? AddNull(TableColumn column, ReadOnlySpan<byte> text, RowBlock block)
    {
        // NULL is how a row asks for the next id, whatever the column's own NULL-ability.
        if (column.IsNullable || column.Default == ColumnDefault.AutoIncrement)
        {
            block.AddNull();
            return null;
        }

        if (!text.IsEmpty)
        {
            return NullNotAllowed;
        }

        if (!column.IsCharacter)
        {
            return EmptyNotAllowed;
        }

        block.AddValue(default);
        return null;
    }

    private ValueFault? AddMissing(int i, RowBlock block)
    {
        switch (_columns[i].Default)
        {
            case ColumnDefault.None:
                return Missing;
            case ColumnDefault.Expression:
                block.AddDefault();
                return null;
            case ColumnDefault.Constant:
                return _rules[i].Add(_defaults[i], block);
            default:
                block.AddNull();
                return null;
        }
    }

    private RecordFault Describe(ValueFault fault, FieldKind kind, ReadOnlySpan<byte> value, int i)
    {
        var subject = kind is FieldKind.Quoted || (kind is FieldKind.Bare && !value.IsEmpty && !ReferenceEquals(fault, NullNotAllowed))
            ? $"{FieldText.Show(value)} "
            : "";
        return new RecordFault(fault.Code, $"{subject}{fault.Message}", _fieldOf[i]);
    }
}
