namespace BulkLoad.Core.Options;

/// <summary>What a job does with its records. Its members say what follows from that.</summary>
internal sealed class JobMode
{
    /// <summary>Rows are inserted, updated or deleted, as the <see cref="JobKind"/> says.</summary>
    public static JobMode Write { get; } = new() { Writes = true, SendsRows = true, UsesLedger = true };

    public static JobMode Preview { get; } = new()
    {
        UsesLedger = true,
        ReadsTwice = true,
        Nothing = "a preview leaves the table as it was",
    };

    /// <summary>This program alone judges records as an import would.</summary>
    public static JobMode Check { get; } = new()
    {
        JudgesOnly = true,
        ReadsTwice = true,
        Verbs = OfCheck,
        Nothing = NothingByCheck,
    };

    /// <summary>The server judges records too: everything is sent, in one transaction that is rolled back.</summary>
    public static JobMode ServerCheck { get; } = new()
    {
        SendsRows = true,
        JudgesOnly = true,
        Verbs = OfCheck,
        Nothing = NothingByCheck,
    };

    public static JobMode Verify { get; } = new()
    {
        JudgesOnly = true,
        Verbs = new JobVerbs("verify", "Comparing with", "Compared", "nothing was compared"),
        Nothing = NothingByCheck,
    };

    private const string NothingByCheck = "a check leaves the table as it was";

    private static JobVerbs OfCheck => new("check", "Checking for", "Checked", "nothing was checked");

    private JobMode()
    {
    }

    /// <summary>Whether the table is changed, and stays so.</summary>
    public bool Writes { get; private init; }

    /// <summary>Whether the server gets the records as rows.</summary>
    public bool SendsRows { get; private init; }

    /// <summary>Whether the result is about the records, and not about changes.</summary>
    public bool JudgesOnly { get; private init; }

    internal bool UsesLedger { get; private init; }

    /// <summary>Whether the inputs are always read more than once.</summary>
    internal bool ReadsTwice { get; private init; }

    /// <summary>Null: those of the <see cref="JobKind"/>.</summary>
    internal JobVerbs? Verbs { get; private init; }

    /// <summary>A message that the table is unchanged; null: it may have changed.</summary>
    public string? Nothing { get; private init; }

    public bool IsCheck => this == Check || this == ServerCheck;
}
