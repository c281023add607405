using BulkLoad.Core.Facts;
using BulkLoad.Core.Input;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Planning;

/// <summary>Notes on a plan, for people. Pure.</summary>
internal static class PlanNotes
{
    private const int MaxNames = 10;

    public static IReadOnlyList<string> Of(LoadFacts facts, string strategy)
    {
        var notes = new List<string>(facts.Guesses);
        notes.AddRange(OfNew(facts));
        if (facts.NewTable is { } created && created.UniqueColumns.FirstOrDefault(
            column => KeyNames.IsLikely(column, isFirst: column == created.Columns[0].Column)) is { } unique)
        {
            notes.Add($"no value of {unique} is there twice: --primary-key {ShellQuoting.Join([unique])} makes it the new table's key");
        }

        notes.AddRange(facts.Request.Kind switch
        {
            JobKind.Update => UpdateRules.Notes(facts),
            JobKind.Delete => KeyRules.Notes(facts),
            _ => facts.Table.InsertTriggers.Select(trigger => $"trigger {trigger} runs for every row"),
        });
        notes.AddRange(ImageRules.Notes(facts));
        notes.AddRange(OfValues(facts));
        if (facts.Request.Values.TimeZone is not null)
        {
            notes.Add(DescribeZone(facts.Server.Zone));
        }

        if (facts.Key is null && DuplicatePlan.Of(facts).Reason is { } reason)
        {
            notes.Add($"--on-duplicate {DuplicateModes.Of(facts.Request.OnDuplicate)}: {reason}");
        }

        if (!facts.Table.IsTransactional)
        {
            notes.Add($"warning: {facts.Table.DisplayName} has no transactions (engine {facts.Table.Engine}) and no ledger: a job that "
                + "ends early leaves what it has done so far, and cannot be resumed");
        }

        notes.AddRange(EngineRules.Notes(facts.Table));
        if (facts.Server.ReadOnlyRefusal is { } readOnly)
        {
            notes.Add($"the server takes no changes at present: the import would be refused, and LOAD DATA LOCAL could not be tested: "
                + $"{readOnly}");
        }

        if (facts.Server.LogsStatements)
        {
            notes.Add("isolation level REPEATABLE READ: the server's binary log by statement refuses READ COMMITTED");
        }

        if (facts.Server.IsStepwise)
        {
            notes.Add($"warning: {facts.Server.Endpoint} takes one statement at a time, so each waits for the answer to the one before it, "
                + "which is slower; a proxy that passes TLS through takes several");
        }

        notes.AddRange(OfDurability(facts));
        notes.AddRange(TransactionRoom.Notes(facts));
        if (facts.Request is { Kind: JobKind.Import, Strategy: null } && strategy != "load-data"
            && facts.Server.LocalInfileRefusal is { } refusal)
        {
            notes.Add($"load-data was not possible: {refusal}");
        }

        if (facts.Request.Mode == JobMode.ServerCheck)
        {
            notes.AddRange(OfServerCheck(facts));
        }

        return notes;
    }

    public static IReadOnlyList<string> OfCheck(LoadFacts facts) =>
        [.. facts.Guesses, .. EngineRules.Notes(facts.Table), .. OfValues(facts), .. OfClientCheck(facts)];

    /// <param name="isReadTwice">null: that depends on the input</param>
    public static string OfKeys(IReadOnlyList<ComparedKey> keys, bool? isReadTwice)
    {
        var how = isReadTwice switch
        {
            null => ", by reading the input twice if keys do not rise",
            true => ", by reading the input twice",
            false => "",
        };
        return $"records that have the same key are found here{how}: {string.Join(", ", keys.Select(key => key.Name))}";
    }

    public static string[] OfNew(LoadFacts facts) => facts.NewTable is { } created ? [DescribeCreation(facts.Table, created)]
        : facts.AddedColumns is { } added ? [DescribeAddition(facts.Table, added)] : [];

    private static IEnumerable<string> OfClientCheck(LoadFacts facts)
    {
        var keys = ComparedKey.Of(facts);
        if (keys.Count > 0)
        {
            yield return OfKeys(keys, isReadTwice: null);
        }

        if (!facts.Table.IsTransactional)
        {
            yield return $"{facts.Table.DisplayName} has no transactions (engine {facts.Table.Engine}): an import needs --no-ledger";
        }
    }

    /// <summary>Notes on a check that sends everything and rolls it back.</summary>
    private static IEnumerable<string> OfServerCheck(LoadFacts facts)
    {
        if (facts.Table.Columns.Any(column => column.Default == ColumnDefault.AutoIncrement))
        {
            yield return "AUTO_INCREMENT ids that were given out are not given back: later ones start after them";
        }

        if (facts.Table.InsertTriggers.Count > 0)
        {
            yield return "what triggers do to tables without transactions is not undone";
        }
    }

    private static IEnumerable<string> OfDurability(LoadFacts facts)
    {
        if (facts.Request.Mode.IsCheck)
        {
            yield break;
        }

        var bound = facts.Request.KeepsLedger ? "; the job notices that as long as it runs, and sends it again, but not afterwards" : "";
        if (facts.Server.RelaxedDurability is { Count: > 0 } settings)
        {
            yield return $"{string.Join(", ", settings)}: the server may lose what it has committed last when its machine fails{bound}";
        }

        if (facts.Server.Replicas is > 0 and var replicas)
        {
            yield return $"{replicas} {Plural.For(replicas, "replica copies", "replicas copy")} from this server: "
                + $"one that takes over may lack what was committed last{bound}";
        }

        if (facts.Request is { NoLedger: true, IsTrial: false } && facts.Table.IsTransactional)
        {
            yield return "--no-ledger: if the connection is lost, and then another or a restarted server answers, the job ends with exit "
                + "1, since it is not known what that server still has";
        }
    }

    private static IEnumerable<string> OfValues(LoadFacts facts)
    {
        var filled = facts.Fields.Where(field => field.Column is not null).Select(field => facts.Table.Find(field.Column!))
            .OfType<TableColumn>().Distinct().ToArray();
        if (facts.Request.Values.Binary is null && facts.Sources.Any(source => source.Format != InputFormat.Mysql.Word())
            && filled.Where(column => column is { IsBinary: true, VectorSize: 0 }
            && !facts.Request.Values.BinaryColumns.Any(own => own.Column.Equals(column.Name, StringComparison.OrdinalIgnoreCase)))
            .ToArray() is { Length: > 0 } binary)
        {
            yield return $"fields of {Names(binary)} are read as hexadecimal (--binary raw takes them as they are)";
        }

        if (facts.Server.Zone.Zone is null
            && filled.Where(column => column.Kind == ColumnKind.Timestamp).ToArray() is { Length: > 0 } timestamps)
        {
            yield return $"the server's time zone, {facts.Server.Zone.Name}, is not known here: times of {Names(timestamps)} in an hour "
                + "that clocks repeat are kept as the server reads them (--time-zone names the zone)";
        }
    }

    private static string Names(TableColumn[] columns) =>
        string.Join(", ", columns.Take(MaxNames).Select(column => column.Name))
            + (columns.Length > MaxNames ? $" and {columns.Length - MaxNames} more" : "");

    private static string DescribeZone(ValueZone zone) => zone.ConvertsTimestamps
        ? $"time zone {zone.Name}: TIMESTAMP values are converted here, since the session itself runs in UTC; NOW() and CURRENT_TIMESTAMP "
            + "in triggers, defaults and --set give a DATETIME column UTC"
        : $"time zone {zone.Name}{(zone.SessionOffset is null ? ", the server's own" : "")}";

    private static string DescribeCreation(TableFacts table, PlannedTable created)
    {
        var given = created.Given.Count == 0 ? "" : $"; given by --type: {string.Join(", ", created.Given)}";
        var columns = string.Join(", ", created.Definitions.Take(MaxNames));
        var more = created.Definitions.Count > MaxNames ? $" and {created.Definitions.Count - MaxNames:N0} more" : "";
        return $"new table {table.DisplayName}: {Plural.Count(created.Columns.Count, "column")}, "
            + $"their types from {Seen(created.Records, created.PassedOver)}{given}: {columns}{more}"
            + (created.HasKey ? "" : "; it has no primary key");
    }

    private static string DescribeAddition(TableFacts table, PlannedAddition added) =>
        $"{added.Columns.Count:N0} new {Plural.For(added.Columns.Count, "column")} of {table.DisplayName}: "
        + $"{string.Join(", ", added.Definitions)}; types from {Seen(added.Records, added.PassedOver)}";

    private static string Seen(long records, long unreadable) =>
        $"{Plural.Count(records, "record")}"
        + $"{(unreadable == 0 ? "" : $"; {unreadable:N0} more cannot be read and were left out")}";
}
