using BulkLoad.Core.Facts;
using BulkLoad.Core.Input;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Planning;

/// <summary>What to know before a check, for people.</summary>
internal static class CheckNotes
{
    /// <summary>Where nothing is sent.</summary>
    public static IEnumerable<string> Of(LoadFacts facts)
    {
        var keys = ComparedKey.Of(facts);
        if (keys.Count > 0)
        {
            yield return $"records that have the same key are found here, by reading the input twice: "
                + $"{string.Join(", ", keys.Select(key => key.Name))}";
        }

        if (!facts.Table.IsTransactional)
        {
            yield return $"{facts.Table.DisplayName} has no transactions (engine {facts.Table.Engine}): an import needs --no-ledger";
        }
    }

    /// <summary>Where everything is sent, and rolled back.</summary>
    public static IEnumerable<string> OnServer(LoadFacts facts)
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
}

/// <summary>What a plan says of commits that the server may lose.</summary>
internal static class DurabilityNotes
{
    public static IEnumerable<string> Of(LoadFacts facts)
    {
        if (facts.Request.SendsNothing || facts.Request.IsCheck)
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

        if (facts.Request.NoLedger && facts.Table.IsTransactional)
        {
            yield return "--no-ledger: if the connection is lost, and then another or a restarted server answers, the job ends with exit "
                + "1, since it is not known what that server still has";
        }
    }
}

/// <summary>What is taken for granted of the fields' values, for people.</summary>
internal static class ValueNotes
{
    private const int MostNames = 10;

    public static IEnumerable<string> Of(LoadFacts facts)
    {
        var filled = facts.Fields.Where(field => field.Column is not null).Select(field => facts.Table.Find(field.Column!))
            .OfType<TableColumn>().Distinct().ToArray();
        if (facts.Request.Values.Binary is null && facts.Sources.Any(source => source.Format != MysqlFormat)
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

    private static string MysqlFormat { get; } = nameof(InputFormat.Mysql).ToLowerInvariant();

    private static string Names(TableColumn[] columns) =>
        string.Join(", ", columns.Take(MostNames).Select(column => column.Name))
            + (columns.Length > MostNames ? $" and {columns.Length - MostNames} more" : "");
}
