using System.Text.Encodings.Web;
using System.Text.Json;
using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Output;

/// <summary>
/// What the JSON outputs share. Written by hand: generated code takes more of file and start (docs/design.md), and the names stay when
/// types change.
/// </summary>
internal static class JsonWords
{
    public const int Version = 1;

    private static readonly JsonWriterOptions Indented = OneLine with { Indented = true };

    /// <summary>Without line breaks, and with &lt; and ' as they are: nothing here goes into a web page.</summary>
    public static JsonWriterOptions OneLine => new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public static void Document(Stream to, string kind, Action<Utf8JsonWriter> content)
    {
        using (var json = new Utf8JsonWriter(to, Indented))
        {
            json.WriteStartObject();
            json.WriteNumber("version", Version);
            json.WriteString("kind", kind);
            json.WriteString("program", ThisProgram.Version);
            content(json);
            json.WriteEndObject();
        }

        to.WriteByte((byte)'\n');
    }

    /// <summary>As text, for standard output.</summary>
    public static void Document(TextWriter to, string kind, Action<Utf8JsonWriter> content)
    {
        using var bytes = new MemoryStream();
        Document(bytes, kind, content);
        to.Write(Encoding.UTF8.GetString(bytes.GetBuffer().AsSpan(0, (int)bytes.Length)));
    }

    public static void Strings(this Utf8JsonWriter json, string name, IReadOnlyList<string> values)
    {
        json.WriteStartArray(name);
        foreach (var value in values)
        {
            json.WriteStringValue(value);
        }

        json.WriteEndArray();
    }

    /// <summary>What helps after an error, under <c>waysOn</c>.</summary>
    public static void WaysOn(this Utf8JsonWriter json, IReadOnlyList<WayOn> ways, TypedCommand? typed) =>
        json.Objects("waysOn", ways, way =>
        {
            json.WriteString("purpose", way.Purpose);
            json.WriteString("command", typed?.LineOf(way));
            json.Strings("words", way.Words);
        });

    /// <summary>Changes of rows, under <c>changes</c>.</summary>
    public static void Changes(this Utf8JsonWriter json, IReadOnlyList<RowChange> changes) => json.Objects("changes", changes, change =>
    {
        json.WriteString("kind", change.Kind);
        json.WriteString("key", change.Key);
        json.Objects("values", change.Values, value =>
        {
            json.WriteString("column", value.Column);
            json.WriteString("before", value.Before);
            json.WriteString("after", value.After);
        });
    });

    public static void Objects<T>(this Utf8JsonWriter json, string name, IReadOnlyList<T> values, Action<T> members)
    {
        json.WriteStartArray(name);
        foreach (var value in values)
        {
            json.WriteStartObject();
            members(value);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    public static void Number(this Utf8JsonWriter json, string name, long? value)
    {
        if (value is { } number)
        {
            json.WriteNumber(name, number);
        }
        else
        {
            json.WriteNull(name);
        }
    }

    /// <summary>To the millisecond.</summary>
    public static void Seconds(this Utf8JsonWriter json, string name, double? value)
    {
        if (value is { } seconds && double.IsFinite(seconds))
        {
            json.WriteNumber(name, Math.Round(seconds, 3));
        }
        else
        {
            json.WriteNull(name);
        }
    }

    private static void NewTable(this Utf8JsonWriter json, PlannedTable? table)
    {
        if (table is null)
        {
            json.WriteNull("newTable");
            return;
        }

        json.Made("newTable", table.Statement, table.Records, table.PassedOver, table.Columns);
    }

    private static void AddedColumns(this Utf8JsonWriter json, PlannedAddition? added)
    {
        if (added is not null)
        {
            json.Made("addedColumns", added.Statement, added.Records, added.PassedOver, added.Columns);
        }
    }

    private static void Made(
        this Utf8JsonWriter json, string name, string statement, long records, long passedOver, IReadOnlyList<PlannedType> columns)
    {
        json.WriteStartObject(name);
        json.WriteString("statement", statement);
        json.WriteNumber("records", records);
        json.WriteNumber("passedOver", passedOver);
        json.Objects("columns", columns, column =>
        {
            json.WriteString("column", column.Column);
            json.WriteString("type", column.Type);
            json.WriteBoolean("nullable", column.IsNullable);
            json.WriteString("reason", column.Reason);
            json.WriteString("narrowest", column.Narrowest ?? column.Type);
        });
        json.WriteEndObject();
    }

    private static void Profile(this Utf8JsonWriter json, PlannedProfile? profile)
    {
        if (profile is null)
        {
            json.WriteNull("profile");
            return;
        }

        json.WriteStartObject("profile");
        json.WriteString("name", profile.Name);
        json.WriteString("serverVersion", profile.Version);
        json.WriteString("endpoint", profile.Endpoint);
        json.WriteString("measured", profile.Measured);
        json.Strings("decides", profile.Decides);
        json.WriteEndObject();
    }

    private static void Verification(this Utf8JsonWriter json, PlannedVerification? verification)
    {
        if (verification is null)
        {
            json.WriteNull("verify");
            return;
        }

        json.WriteStartObject("verify");
        json.WriteString("mode", VerifyModes.Of(verification.Mode));
        json.Strings("key", verification.Key);
        json.Strings("columns", verification.Columns);
        json.Strings("passed", verification.Passed);
        json.WriteString("unverifiable", verification.Unverifiable);
        json.WriteEndObject();
    }

    private static void Rebuild(this Utf8JsonWriter json, PlannedRebuild? rebuild)
    {
        if (rebuild is null)
        {
            json.WriteNull("rebuild");
            return;
        }

        json.WriteStartObject("rebuild");
        json.Strings("dropped", rebuild.Dropped);
        json.Objects("kept", rebuild.Kept, index =>
        {
            json.WriteString("index", index.Name);
            json.WriteString("reason", index.Reason);
        });
        json.Strings("notes", rebuild.Notes);
        json.WriteEndObject();
    }

    public static void Server(this Utf8JsonWriter json, PlannedServer server)
    {
        json.WriteStartObject("server");
        json.WriteString("kind", server.Kind);
        json.WriteString("version", server.Version);
        json.WriteString("endpoint", server.Endpoint);
        json.WriteString("security", server.Security);
        json.WriteString("user", server.User);
        json.WriteEndObject();
    }

    /// <summary>A plan's members, alone or inside a report.</summary>
    public static void Plan(this Utf8JsonWriter json, LoadPlan plan)
    {
        json.WriteString("command", plan.Command);
        json.WriteString("table", plan.Table);
        json.Server(plan.Server);
        json.Objects("sources", plan.Sources, source =>
        {
            json.WriteString("name", source.Name);
            json.WriteString("format", source.Format);
            json.WriteString("compression", source.Compression);
            json.WriteString("encoding", source.Encoding);
            json.Number("bytes", source.Bytes);
            json.Number("estimatedRecords", source.EstimatedRecords);
            json.Objects("detected", source.Detections, found =>
            {
                json.WriteString("what", found.What);
                json.WriteString("value", found.Value);
                json.WriteNumber("confidence", Math.Round(found.Confidence, 3));
                json.WriteString("reason", found.Reason);
            });
        });
        json.Objects("columns", plan.Columns, column =>
        {
            json.WriteString("field", column.Field);
            json.WriteString("column", column.Column);
            json.WriteString("type", column.Type);
            if (column.Expression is { } expression)
            {
                json.WriteString("expression", expression);
            }
        });
        json.NewTable(plan.NewTable);
        json.AddedColumns(plan.AddedColumns);
        json.Strings("key", plan.Key);
        json.Verification(plan.Verification);
        json.WriteString("onDuplicate", DuplicateModes.Of(plan.OnDuplicate));
        json.WriteString("strategy", plan.Strategy);
        json.Objects("verdicts", plan.Verdicts, verdict =>
        {
            json.WriteString("strategy", verdict.Strategy);
            json.WriteBoolean("fit", verdict.IsFit);
            json.WriteString("reason", verdict.Reason);
            json.Seconds("estimatedSeconds", verdict.EstimatedSeconds);
        });
        json.Objects("sizes", plan.Sizes, size =>
        {
            json.WriteString("name", size.Name);
            json.WriteNumber("value", size.Value);
            json.WriteString("setBy", size.SetBy);
        });
        json.Profile(plan.Profile);
        json.WriteNumber("sessions", plan.Sessions);
        json.WriteString("sessionsReason", plan.SessionsReason);
        json.WriteString("sortedBy", plan.Order?.SortedBy);
        json.WriteString("orderReason", plan.Order?.Reason ?? "");
        json.Rebuild(plan.Rebuild);
        json.WriteString("transactions", plan.Transactions);
        json.WriteString("timeZone", plan.TimeZone);
        json.Strings("sql", plan.Sql);
        json.Strings("notes", plan.Notes);
    }
}
