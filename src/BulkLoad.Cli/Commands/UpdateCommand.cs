using System.CommandLine;
using BulkLoad.Cli.Options;
using BulkLoad.Core;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload update FILE... --table T</c>: gives rows that are there the values of files.</summary>
internal sealed class UpdateCommand : FileCommand
{
    private readonly KeyArguments _key;
    private readonly WorkArguments _work;
    private readonly JobArguments _job;

    public UpdateCommand(CommandContext context)
        : this(context, new KeyArguments(deletes: false), new WorkArguments(), new JobArguments())
    {
    }

    private UpdateCommand(CommandContext context, KeyArguments key, WorkArguments work, JobArguments job)
        : base(
            "update", "Changes the rows whose keys stand in files.", context,
            new TargetArguments(makesRows: false), new MappingArguments(), new RejectArguments("0"), key, work, job, new ThrottleArguments()) =>
        (_key, _work, _job) = (key, work, job);

    /// <inheritdoc/>
    public override IReadOnlyList<(string Line, string Does)> Examples =>
    [
        ("bulkload update people.csv --table shop.people", "every column that the file has, in the rows with its primary keys"),
        ("bulkload update people.csv --table shop.people --plan", "what would be done and why; changes nothing"),
        ("bulkload update prices.csv --table shop.products --key sku", "by another unique column"),
        ("bulkload update lines.csv --table shop.order_lines --key order_id,line", "a key of several columns"),
        ("bulkload update people.csv --table shop.people --set 'changed=NOW()' --where 'active=1'", "a column by SQL; active people only"),
        ("bulkload update moved.csv --table shop.people --map new_id=id", "new keys: field id finds the row, field new_id is what its id becomes"),
        ("bulkload update changes.jsonl --table shop.people --ignore-missing --expect 1000", "each object changes what it names; a thousand rows, or none"),
    ];

    protected override LoadRequest Bind(LoadRequest request, RejectWords rejects, ParseResult words)
    {
        var key = _key.Bind(words);
        return _job.Apply(_work.Bind(words).ApplyTo(request), words) with
        {
            Kind = JobKind.Update,
            Key = key.Key,
            TempFolder = key.TempFolder ?? request.TempFolder,
        };
    }
}
