using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values;

/// <summary>The only list of rules by column kind.</summary>
internal static class ValueRules
{
    /// <param name="column">a column of a supported kind</param>
    /// <param name="options">what the rules take from the request and the session</param>
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
        ColumnKind.Binary or ColumnKind.Blob => new BinaryRule(column, options.Binary),
        ColumnKind.Json => new JsonRule(),
        ColumnKind.Uuid => new UuidRule(),
        ColumnKind.Inet4 or ColumnKind.Inet6 => new InetRule(column),
        ColumnKind.Geometry => new GeometryRule(column),
        _ => throw new ArgumentOutOfRangeException(nameof(column), column.Kind, "no rule for this kind"),
    };
}
