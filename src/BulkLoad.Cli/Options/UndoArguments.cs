using BulkLoad.Core.Options;
using static BulkLoad.Cli.Options.OptionRole;

namespace BulkLoad.Cli.Options;

/// <summary>Where job and table are.</summary>
internal sealed class UndoTargetArguments : OptionGroup<LoadRequest>
{
    public UndoTargetArguments() : base("Table", NextCommand.Reading)
    {
        Text(TargetArguments.Table, "NAME", "the job's table, as table or database.table (default: what the ledger has)",
            Identity, (request, name) => request with { Table = name })
            .Offers(Offer.Tables).InShortHelp(10).AlsoCalled("--into --table-name -t");
        Text("--ledger-schema", "NAME", "the schema of the ledger's table, bulkload_ledger (default: that of --table, or --database)",
            Way, (request, name) => request with { LedgerSchema = name });
    }
}

internal sealed class UndoArguments : OptionGroup<LoadRequest>
{
    public const string Yes = KeyArguments.Yes;

    public UndoArguments() : base("Undo")
    {
        Flag("--preview", "count which rows would go and which would stay, and why; delete nothing",
            Way, request => request with { Undo = request.Undo! with { Preview = true } })
            .InShortHelp(20);
        Flag(Yes, "do not ask for confirmation on a terminal",
            Way, request => request with { Undo = request.Undo! with { Confirm = null } })
            .In(NextCommand.Same).AlsoCalled("-y");
        Input("--ids-file", "the ids that the server has generated for the rows, as the import's --ids-file has saved them",
            Way, (request, file) => request with { Undo = request.Undo! with { IdsFile = file } });
        Text("--temp-dir", "FOLDER", "folder for sorting records, where the import has sorted them (default: the system's folder for "
            + "temporary files)",
            Way, (request, folder) => request with { TempFolder = folder });
    }
}
