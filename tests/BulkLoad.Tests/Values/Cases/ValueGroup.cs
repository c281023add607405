using BulkLoad.Core.Input;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Notations;
using BulkLoad.Core.Values.Rules;

namespace BulkLoad.Tests.Values.Cases;

/// <summary>How what a server gives back is compared with the canonical value.</summary>
internal enum Comparing
{
    /// <summary>As text, without zeros at the end of a fraction.</summary>
    Text,

    /// <summary>As the nearest double.</summary>
    Double,

    /// <summary>As the nearest single.</summary>
    Single,

    /// <summary>As JSON documents.</summary>
    Json,
}

/// <summary>A column type and its cases.</summary>
/// <param name="Ddl">the column's definition in CREATE TABLE</param>
/// <param name="Column">as the catalogue describes it</param>
/// <param name="Cases">what it takes and what it does not</param>
internal sealed record ValueGroup(string Ddl, TableColumn Column, params ValueCase[] Cases)
{
    /// <summary>The page's chapter; empty: the page does without the group.</summary>
    public string Chapter { get; init; } = "";

    /// <summary>The only server that has the type; null: both.</summary>
    public string? Server { get; init; }

    /// <summary>How binary fields are written.</summary>
    public BinaryForm Form { get; init; }

    /// <summary>How other values are written.</summary>
    public IReadOnlyList<ValueFormat> Formats { get; init; } = [];

    /// <summary>An expression of column <c>v</c> that shows the value as text.</summary>
    public string Read { get; init; } = "v";

    public Comparing Comparing { get; init; }

    /// <summary>The definition for people.</summary>
    public string Title => (Column is { IsBinary: true, VectorSize: 0 } ? $"{Ddl}, --binary {Form.ToString().ToLowerInvariant()}"
        : string.Join(", ", Formats.Select(format => $"{format}").Prepend(Ddl))) + (Server is null ? "" : $" ({Server})");

    /// <summary>The rule of a column of this type.</summary>
    public ValueRule CreateRule(TableColumn column, ValueZone zone) =>
        ValueRules.For(column, RuleOptions.Of(new ValueOptions { Binary = Form }, zone), new NotationSet(Formats).For(column));

    public override string ToString() => Title;
}
