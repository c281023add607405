using System.Text.Json;

namespace BulkLoad.Core.Ledger;

/// <summary>The former table of a full refresh, or a table with the former rows of a partition, that stays; and what tells whether anything
/// was changed since, so that it may take its place again.</summary>
/// <param name="Database">of both</param>
/// <param name="Table">the one that has become the input</param>
/// <param name="Partition">of it, which alone has; null: all of it</param>
/// <param name="Name">of the former one</param>
/// <param name="Interim">its name from the exchange on, until it is known that nobody has written to it</param>
internal sealed record KeptTable(string Database, string Table, string? Partition, string Name, string Interim)
{
    /// <summary>Of what the input has made.</summary>
    public required TableState New { get; init; }

    public required TableState Old { get; init; }

    /// <summary>What has become the input, for people.</summary>
    public string TargetName => $"{(Partition is null ? "" : $"partition {Partition} of ")}{Database}.{Table}";

    public string DisplayName => $"{Database}.{Name}";

    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject("kept");
        foreach (var (name, text) in ((string, string?)[])[("database", Database), ("table", Table), ("partition", Partition),
            ("name", Name), ("interim", Interim), ("newSum", New.Sum), ("newDefinition", New.Definition), ("oldSum", Old.Sum),
            ("oldDefinition", Old.Definition)])
        {
            if (text is not null)
            {
                json.WriteString(name, text);
            }
        }

        json.WriteEndObject();
    }

    /// <summary>Null: the job keeps no table.</summary>
    /// <exception cref="PlanException">the text is not what <see cref="Write"/> writes; it must not count as nothing</exception>
    public static KeptTable? Read(JsonElement job)
    {
        if (!job.TryGetProperty("kept", out var json))
        {
            return null;
        }

        return json.ValueKind != JsonValueKind.Object ? throw LedgerJson.Unreadable()
            : new KeptTable(Text("database"), Text("table"), LedgerJson.ReadText(json, "partition"), Text("name"), Text("interim"))
            {
                New = new TableState(Text("newSum"), Text("newDefinition")),
                Old = new TableState(Text("oldSum"), Text("oldDefinition")),
            };

        string Text(string name) => LedgerJson.ReadText(json, name) is { Length: > 0 } text ? text : throw LedgerJson.Unreadable();
    }
}

/// <summary>Another one for other rows, or for another definition.</summary>
/// <param name="Sum">of the rows</param>
/// <param name="Definition">a digest of it</param>
internal sealed record TableState(string Sum, string Definition);
