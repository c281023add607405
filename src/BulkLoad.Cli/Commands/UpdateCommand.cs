using System.CommandLine;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload update FILE... --table T</c>: gives rows that are there the values of files.</summary>
internal sealed class UpdateCommand : WritingCommand
{
    /// <summary>What calls it.</summary>
    public const string Word = "update";

    private readonly KeyArguments _key;
    private readonly OrderArguments _order;

    public UpdateCommand(CommandContext context) : this(context, new KeyArguments(deletes: false), new OrderArguments())
    {
    }

    private UpdateCommand(CommandContext context, KeyArguments key, OrderArguments order)
        : base(Word, "Update existing rows by key from files.", context, new TargetArguments(makesRows: false), new MappingArguments(), key,
            order) =>
        (_key, _order) = (key, order);

    /// <inheritdoc/>
    public override IReadOnlyList<(string Line, string Does)> Examples =>
    [
        ("bulkload update people.csv --table shop.people", "every column that the file has, in the rows with its primary keys"),
        ("bulkload update people.csv --table shop.people --plan", "what would be done and why; changes nothing"),
        ("bulkload update prices.csv --table shop.products --key sku", "by another unique column"),
        ("bulkload update lines.csv --table shop.order_lines --key order_id,line", "a key of several columns"),
        ("bulkload update people.csv --table shop.people --set 'changed=NOW()' --where 'active=1' --ignore-missing",
            "a column by SQL; active people only"),
        ("bulkload update moved.csv --table shop.people --map new_id=id",
            "new keys: field id finds the row, field new_id is what its id becomes"),
        ("bulkload update changes.jsonl --table shop.people --ignore-missing --expect 1000",
            "each object changes what it names; a thousand rows, or none"),
    ];

    protected override LoadRequest Bind(LoadRequest request, ParseResult words)
    {
        var key = _key.Bind(words);
        return _order.Apply(request, words) with
        {
            Kind = JobKind.Update,
            Key = key.Key,
            TempFolder = key.TempFolder ?? request.TempFolder,
        };
    }
}
