using System.CommandLine;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload verify FILE... --table T</c>: compares records with the rows that have their keys, and writes nothing.</summary>
internal sealed class VerifyCommand : FileCommand
{
    /// <summary>What calls it.</summary>
    public const string Word = "verify";

    private const string WithoutMaxRejects = "a verification goes on to the end";

    private readonly VerifyArguments _verify;

    public VerifyCommand(CommandContext context)
        : this(context, new VerifyArguments(isAlone: true))
    {
    }

    private VerifyCommand(CommandContext context, VerifyArguments verify)
        : base(
            Word, "Says whether the records of files stand in a table, and writes nothing.", context,
            new TargetArguments(hasDuplicates: false), new MappingArguments(sets: false), new RejectArguments(WithoutMaxRejects), verify) => _verify = verify;

    /// <inheritdoc/>
    public override IReadOnlyList<(string Line, string Does)> Examples =>
    [
        ("bulkload verify people.csv -D shop", "whether each record has its row, with the same values; exit code 7 where one has not"),
        ("bulkload verify people.csv -D shop --verify count", "only whether each key has its row"),
        ("bulkload verify people.csv -D shop --reject-file missing.csv", "the records that have not, to be imported or updated by"),
        ("bulkload verify 'part-*.csv.gz' --table shop.people --map 'Full Name=name'", "with the options of the import"),
        ("bulkload verify events.csv --table shop.events --key at,kind", "by columns that tell records apart, where the file has no key"),
    ];

    protected override LoadRequest Bind(LoadRequest request, RejectWords rejects, ParseResult words) =>
        _verify.Apply(request, words) with { MaxRejects = rejects.MaxRejects ?? RejectLimit.OfPercent(100) };
}
