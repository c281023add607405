using System.CommandLine;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload verify FILE... --table T</c>: compares records with the rows that have their keys, and writes nothing.</summary>
internal sealed class VerifyCommand : FileCommand
{
    /// <summary>What calls it.</summary>
    public const string Word = "verify";

    private const string WithoutMaxRejects = "a verification continues to the end";

    private readonly VerifyArguments _verify;

    public VerifyCommand(CommandContext context) : this(context, new VerifyArguments(isAlone: true))
    {
    }

    private VerifyCommand(CommandContext context, VerifyArguments verify)
        : base(
            Word, "Compare files with a table and report missing or different rows.", context,
            new TargetArguments(hasDuplicates: false), new MappingArguments(sets: false), new RejectArguments(WithoutMaxRejects), verify) =>
                _verify = verify;

    /// <inheritdoc/>
    public override IReadOnlyList<(string Line, string Does)> Examples =>
    [
        ("bulkload verify people.csv -D shop", "whether each record has its row, with the same values; exit code 7 if one has not"),
        ("bulkload verify people.csv -D shop --verify count", "only whether each key has its row"),
        ("bulkload verify people.csv -D shop --reject-file missing.csv",
            "save the records that have not, to import them or update by them"),
        ("bulkload verify 'part-*.csv.gz' --table shop.people --map 'Full Name=name'", "with the options of the import"),
        ("bulkload verify events.csv --table shop.events --key at,kind", "by columns that distinguish records, if the file has no key"),
    ];

    protected override LoadRequest Bind(LoadRequest request, RejectWords rejects, ParseResult words) =>
        _verify.Apply(request, words) with { MaxRejects = rejects.MaxRejects ?? RejectLimit.OfPercent(100) };
}
