using System.CommandLine;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Commands;

internal sealed class DeleteCommand(CommandContext context) : FileCommand(
    Entry, context, new TargetArguments(makesRows: false), new MappingArguments(makesRows: false), new RejectArguments("0"),
    [new KeyArguments(deletes: true), new OrderArguments(), .. OfWriting(repeats: true)],
    [
        ("bulkload delete --ids ids.txt --table shop.people", "the rows whose primary key is in ids.txt, one per line"),
        ("bulkload delete --ids ids.txt --table shop.people --plan", "what would be done and why; deletes nothing"),
        ("bulkload delete --ids mails.txt --table shop.members --key email", "by another column, UNIQUE and NOT NULL"),
        ("bulkload delete lines.csv --table shop.order_lines --key order_id,line", "a key of several columns, from a CSV file"),
        ("bulkload delete --ids ids.txt --table shop.people --where 'active=0' --ignore-missing --expect 1000",
            "inactive people only; a thousand rows, or none"),
        ("mysql -BNe 'SELECT ...' | bulkload delete --ids - --table shop.people --ignore-missing",
            "keys from a query; those that are gone already are fine"),
    ])
{
    public static readonly CommandEntry Entry = new(
        "delete", "Delete existing rows by key from files.", (_, context) => new DeleteCommand(context));

    protected override string[] FilesOf(ParseResult words)
    {
        var files = base.FilesOf(words);
        return (words.GetValue<string>(KeyArguments.Ids), files) switch
        {
            ({ } ids, []) when IsKey(ids) && !Context.Host.Files.Exists(ids) => throw new InputException(
                $"--ids {ids}: no such file; if these are the keys: printf '{ids.Replace(",", "\\n", StringComparison.Ordinal)}\\n' | "
                    + "bulkload delete --ids - --table "
                    + $"{ShellQuoting.Join([words.GetValue<string>(TargetArguments.Table) ?? "NAME"])}, with the other options"),
            (null, []) => throw new RequestException("no keys: name a file of them with --ids, or a CSV, TSV or JSONL file"),
            (null, _) => files,
            ({ } ids, []) => [ids],
            _ => throw new RequestException($"--ids and '{files[0]}': name the keys once"),
        };
    }

    /// <summary>Whether a name looks like whole numbers or a UUID.</summary>
    private static bool IsKey(string name) =>
        Guid.TryParseExact(name, "D", out _)
            || (name.Length > 0 && char.IsAsciiDigit(name[^1]) && name.All(letter => char.IsAsciiDigit(letter) || letter == ','));

    protected override LoadRequest Begin(LoadRequest request) => request with
    {
        Kind = JobKind.Delete,
        Key = request.Key with { Confirm = Context.Confirm is null ? null : Confirm },

        // Other keys of an object do not matter, as other columns of a CSV file.
        Source = request.Source with { IgnoreUnknown = true },
    };

    private bool Confirm(DeletionQuestion asked)
    {
        var bad = asked.Refused == 0 ? "" : $", {Amounts.Count(asked.Refused)} more cannot be keys";
        return Context.Confirm!(
            $"delete the rows of {asked.Table} on {asked.Endpoint} with "
                + $"{(asked.Records == 1 ? "this" : "these")} {Amounts.Count(asked.Records, "key")} "
                + $"({string.Join(", ", asked.Key)}{bad})? [y/N] ");
    }
}
