using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Notations;

namespace BulkLoad.Core.Values.Rules;

internal static class ValueRules
{
    /// <param name="notation">null: values are written as the servers write them</param>
    public static ValueRule For(TableColumn column, RuleOptions options, ValueNotation? notation) => notation switch
    {
        _ when column.Kind == ColumnKind.Bit && options.HasRawBits(column.Name) => new BitRule(column),
        null => For(column, options),
        PatternNotation pattern when column.Behaviour.Family == ColumnFamily.Date =>
            new DateTimeRule(column, options, pattern),
        NumberNotation number when column.Kind == ColumnKind.Decimal => new DecimalRule(column, options, number),
        _ => new NotatedRule(For(column, options), notation),
    };

    public static ValueRule For(TableColumn column, RuleOptions options) => column.Kind switch
    {
        ColumnKind.Integer or ColumnKind.UnsignedInteger or ColumnKind.Bit => new IntegerRule(column, options),
        ColumnKind.Decimal => new DecimalRule(column, options),
        ColumnKind.Float or ColumnKind.Double => new FloatRule(column),
        ColumnKind.Char or ColumnKind.Varchar or ColumnKind.Text => new TextRule(column),
        ColumnKind.Date or ColumnKind.DateTime or ColumnKind.Timestamp => new DateTimeRule(column, options),
        ColumnKind.Time => new TimeRule(column, options),
        ColumnKind.Year => new YearRule(),
        ColumnKind.Enum or ColumnKind.Set => new LabelRule(column),
        ColumnKind.Blob when column.VectorSize > 0 => new VectorRule(column, options.BinaryOf(column.Name) == BinaryForm.Raw),
        ColumnKind.Binary or ColumnKind.Blob => new BinaryRule(column, options.BinaryOf(column.Name)),
        ColumnKind.Json => new JsonRule(),
        ColumnKind.Uuid => new UuidRule(),
        ColumnKind.Inet4 or ColumnKind.Inet6 => new InetRule(column),
        ColumnKind.Geometry => new GeometryRule(column),
        _ => throw new ArgumentOutOfRangeException(nameof(column), column.Kind, "no rule for this kind"),
    };
}
