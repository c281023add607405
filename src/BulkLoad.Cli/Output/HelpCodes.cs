namespace BulkLoad.Cli.Output;

/// <summary>What <c>bulkload help CODE</c> says of one reason for which records are refused, or left to the server.</summary>
/// <param name="Code">as reports and reject files have it</param>
/// <param name="Means">one or two sentences</param>
/// <param name="Example">what brings it about</param>
/// <param name="ToDo">which options, commands or changes help</param>
internal sealed record HelpCode(string Code, string Means, string Example, string ToDo)
{
    public void Write(TextWriter to, int width)
    {
        foreach (var (label, text) in ((string, string)[])[("", Means), ("Example: ", Example), ("What to do: ", ToDo)])
        {
            LineWrap.Paragraph($"{label}{text}", width).ForEach(to.WriteLine);
        }
    }
}

/// <summary>All codes, by who finds them.</summary>
internal static class HelpCodes
{
    /// <summary>The word that lists them.</summary>
    public const string Word = "codes";

    public static IReadOnlyList<(string Title, IReadOnlyList<HelpCode> Codes)> Groups { get; } =
    [
        ("Lines that are no good record", ReaderCodes.All),
        ("Values that a column does not take", ValueCodes.All),
        ("Records that the server refuses, or that find no row", ServerCodes.All),
        ("Records that a check leaves to the server", UndecidedCodes.All),
    ];

    public static IEnumerable<HelpCode> All => Groups.SelectMany(group => group.Codes);

    public static HelpCode? Find(string code) => All.FirstOrDefault(one => one.Code == code);

    /// <summary>Every code with its meaning.</summary>
    public static void WriteList(TextWriter to, int width)
    {
        to.WriteLine("The reasons in reports and reject files. 'bulkload help CODE' has an example, and what to do.");
        foreach (var (title, codes) in Groups)
        {
            HelpText.Section(to, title, codes.Select(code => (code.Code, code.Means)), width);
        }
    }
}
