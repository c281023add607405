using System.Text.Json.Serialization;

namespace BulkLoad.Core.Reports;

/// <summary>What a finding means for an import with default settings.</summary>
internal enum FindingState
{
    Ok,

    /// <summary>An import works.</summary>
    Note,

    Problem,
}

/// <param name="Section"><c>server</c>, <c>rights</c>, <c>limits</c> or <c>ledger</c></param>
/// <param name="Name">stable, kebab-case; unique in its section</param>
/// <param name="Fix">the statement, option or command that changes it; null: none is needed, or none is known</param>
internal sealed record Finding(string Section, string Name, FindingState State, string Text, string? Fix = null);

/// <param name="Command"><c>import</c>, <c>update</c> or <c>delete</c></param>
/// <param name="IsChosen">whether the planner chooses it</param>
/// <param name="Unlock">the statement or option that would make it fit; null: it is fit, or none is known</param>
internal sealed record StrategyOutlook(
    string Command,
    string Strategy,
    [property: JsonPropertyName("chosen")] bool IsChosen,
    [property: JsonPropertyName("fit")] bool IsFit,
    string Reason,
    string? Unlock);

internal sealed record DoctorReport
{
    /// <summary>Null: nobody answered.</summary>
    public PlannedServer? Server { get; init; }

    /// <summary><c>user@host</c>; null: not known.</summary>
    public string? Account { get; init; }

    /// <summary>Null: none was named.</summary>
    public string? Database { get; init; }

    /// <summary><c>database.table</c>; null: none was named.</summary>
    public string? Table { get; init; }

    /// <summary>In the order in which they are shown: those of a section together.</summary>
    public IReadOnlyList<Finding> Findings { get; init; } = [];

    /// <summary>Every strategy of each command, the chosen one first.</summary>
    public IReadOnlyList<StrategyOutlook> Strategies { get; init; } = [];

    /// <summary>Those that the account may see, up to a thousand.</summary>
    public IReadOnlyList<string> Tables { get; init; } = [];

    /// <summary>What ended the diagnosis early; null: it is complete.</summary>
    public BulkLoadException? Failure { get; init; }

    public bool HasProblem => Findings.Any(finding => finding.State == FindingState.Problem);
}
