using System.CommandLine;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Input;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload delete --ids FILE --table T</c>: removes the rows whose keys stand in files.</summary>
internal sealed class DeleteCommand : WritingCommand
{
    /// <summary>What calls it.</summary>
    public const string Word = "delete";

    private readonly KeyArguments _key;
    private readonly OrderArguments _order;
    private readonly CommandContext _context;

    public DeleteCommand(CommandContext context) : this(context, new KeyArguments(deletes: true), new OrderArguments())
    {
    }

    private DeleteCommand(CommandContext context, KeyArguments key, OrderArguments order)
        : base(Word, "Delete existing rows by key from files.", context, new TargetArguments(makesRows: false),
            new MappingArguments(makesRows: false), key, order) =>
        (_key, _order, _context) = (key, order, context);

    /// <inheritdoc/>
    public override IReadOnlyList<(string Line, string Does)> Examples =>
    [
        ("bulkload delete --ids ids.txt --table shop.people", "the rows whose primary key is in ids.txt, one per line"),
        ("bulkload delete --ids ids.txt --table shop.people --plan", "what would be done and why; deletes nothing"),
        ("bulkload delete --ids mails.txt --table shop.members --key email", "by another column, UNIQUE and NOT NULL"),
        ("bulkload delete lines.csv --table shop.order_lines --key order_id,line", "a key of several columns, from a CSV file"),
        ("bulkload delete --ids ids.txt --table shop.people --where 'active=0' --ignore-missing --expect 1000",
            "inactive people only; a thousand rows, or none"),
        ("mysql -BNe 'SELECT ...' | bulkload delete --ids - --table shop.people --ignore-missing",
            "keys from a query; those that are gone already are fine"),
    ];

    protected override string[] FilesOf(ParseResult words)
    {
        var files = base.FilesOf(words);
        return (_key.Bind(words).Ids, files) switch
        {
            ({ } ids, []) when IsKey(ids) && !_context.Surroundings.Files.Exists(ids) => throw new InputException(
                $"--ids {ids}: no such file; if these are the keys: printf '{ids.Replace(",", "\\n", StringComparison.Ordinal)}\\n' | "
                    + "bulkload delete --ids - "
                + $"--table {ShellWords.Join([words.GetValue<string>("--table") ?? "NAME"])}, with the other options"),
            (null, []) => throw new RequestException("no keys: name a file of them with --ids, or a CSV, TSV or JSONL file"),
            (null, _) => files,
            ({ } ids, []) => [ids],
            _ => throw new RequestException($"--ids and '{files[0]}': name the keys once"),
        };
    }

    /// <summary>Whether a name looks like whole numbers or a UUID.</summary>
    private static bool IsKey(string name) =>
        Guid.TryParseExact(name, "D", out _)
            || (char.IsAsciiDigit(name[^1]) && name.All(letter => char.IsAsciiDigit(letter) || letter == ','));

    protected override LoadRequest Bind(LoadRequest request, ParseResult words)
    {
        var key = _key.Bind(words);
        return _order.Apply(request, words) with
        {
            Kind = JobKind.Delete,
            Key = key.Key with { Confirm = key.IsConfirmed || _context.Surroundings.Confirm is null ? null : Confirm },
            Source = request.Source with
            {
                Format = key.Ids is not null && request.Source.Format == InputFormat.Auto ? InputFormat.Keys : request.Source.Format,
                ReadsRanges = key.ReadsRanges,

                // As other columns of a CSV file, other keys of an object are of no interest.
                IgnoreUnknown = true,
            },
            TempFolder = key.TempFolder ?? request.TempFolder,
        };
    }

    private bool Confirm(DeletionQuestion asked)
    {
        var bad = asked.Refused == 0 ? "" : $", {Amounts.Count(asked.Refused)} more cannot be keys";
        return _context.Surroundings.Confirm!(
            $"delete the rows of {asked.Table} on {asked.Endpoint} with these {Amounts.Count(asked.Records, "key")} "
                + $"({string.Join(", ", asked.Key)}{bad})? [y/N] ");
    }
}
