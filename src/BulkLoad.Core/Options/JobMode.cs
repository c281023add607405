namespace BulkLoad.Core.Options;

/// <summary>What the records of a job are for. Its members say what follows from that.</summary>
internal sealed class JobMode
{
    /// <summary>Rows are inserted, updated or deleted, as the <see cref="JobKind"/> says.</summary>
    public static JobMode Write { get; } = new() { Writes = true, SendsRows = true, UsesLedger = true };

    /// <summary>It is found out what would be changed, and nothing is written.</summary>
    public static JobMode Preview { get; } = new()
    {
        UsesLedger = true,
        ReadsTwice = true,
        Nothing = "a preview leaves the table as it was",
    };

    /// <summary>Records are judged as an import would, by this program alone.</summary>
    public static JobMode Check { get; } = new()
    {
        JudgesOnly = true,
        ReadsTwice = true,
        Verbs = OfCheck,
        Nothing = NothingByCheck,
    };

    /// <summary>Records are judged by the server too: everything is sent, in one transaction that is rolled back.</summary>
    public static JobMode ServerCheck { get; } = new()
    {
        SendsRows = true,
        JudgesOnly = true,
        Verbs = OfCheck,
        Nothing = NothingByCheck,
    };

    /// <summary>Records are compared with the rows that are there.</summary>
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

    /// <summary>Whether the result is about the records, and not about what is done with them.</summary>
    public bool JudgesOnly { get; private init; }

    /// <summary>Whether it counts what the ledger knows.</summary>
    internal bool UsesLedger { get; private init; }

    /// <summary>Whether the inputs are read more than once, whatever else is asked.</summary>
    internal bool ReadsTwice { get; private init; }

    /// <summary>Its words; null: those of the <see cref="JobKind"/>.</summary>
    internal JobVerbs? Verbs { get; private init; }

    /// <summary>What it has done to the table; null: that depends.</summary>
    public string? Nothing { get; private init; }

    /// <summary>Whether records are judged, by the server or without it.</summary>
    public bool IsCheck => this == Check || this == ServerCheck;
}
