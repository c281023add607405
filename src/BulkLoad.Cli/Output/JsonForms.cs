using System.Text.Json;
using System.Text.Json.Serialization;
using BulkLoad.Cli.Connecting;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Seeding;

namespace BulkLoad.Cli.Output;

/// <summary>Records whose public properties, in their order, are what docs/cli-json.md says; JsonFormTests hold every byte.</summary>
[JsonSourceGenerationOptions(
    GenerationMode = JsonSourceGenerationMode.Metadata,
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    Converters =
    [
        typeof(SecondsForm), typeof(RoundedForm), typeof(RejectForm), typeof(WordForm<VerifyMode>), typeof(WordForm<VerifyResult>),
        typeof(WordForm<FindingState>), typeof(WordForm<SeedOutcome>),
    ])]
[JsonSerializable(typeof(IReadOnlyDictionary<string, long>))]
[JsonSerializable(typeof(IReadOnlyList<Finding>))]
[JsonSerializable(typeof(IReadOnlyList<JobChunk>))]
[JsonSerializable(typeof(IReadOnlyList<PlannedColumn>))]
[JsonSerializable(typeof(IReadOnlyList<PlannedSize>))]
[JsonSerializable(typeof(IReadOnlyList<PlannedSource>))]
[JsonSerializable(typeof(IReadOnlyList<Reject>))]
[JsonSerializable(typeof(IReadOnlyList<ReplicaReport>))]
[JsonSerializable(typeof(IReadOnlyList<RetryReport>))]
[JsonSerializable(typeof(IReadOnlyList<SeedPlanTable>))]
[JsonSerializable(typeof(IReadOnlyList<SeedTableReport>))]
[JsonSerializable(typeof(IReadOnlyList<SettingOrigin>))]
[JsonSerializable(typeof(IReadOnlyList<SourceReport>))]
[JsonSerializable(typeof(IReadOnlyList<string>))]
[JsonSerializable(typeof(IReadOnlyList<StrategyOutlook>))]
[JsonSerializable(typeof(IReadOnlyList<UndecidedCount>))]
[JsonSerializable(typeof(IReadOnlyList<Verdict>))]
[JsonSerializable(typeof(IReadOnlyList<WaitReport>))]
[JsonSerializable(typeof(LoadCounts))]
[JsonSerializable(typeof(PlannedAddition))]
[JsonSerializable(typeof(PlannedProfile))]
[JsonSerializable(typeof(PlannedReaders))]
[JsonSerializable(typeof(PlannedRebuild))]
[JsonSerializable(typeof(PlannedServer))]
[JsonSerializable(typeof(PlannedTable))]
[JsonSerializable(typeof(PlannedVerification))]
[JsonSerializable(typeof(PreviewReport))]
[JsonSerializable(typeof(RebuildReport))]
[JsonSerializable(typeof(RefreshReport))]
[JsonSerializable(typeof(UndoOutlook))]
[JsonSerializable(typeof(UndoReport))]
[JsonSerializable(typeof(VerificationReport))]
internal sealed partial class JsonForms : JsonSerializerContext;

/// <summary>What is only written.</summary>
internal abstract class WrittenForm<T> : JsonConverter<T>
{
    public override T Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        throw new NotSupportedException();
}

internal sealed class WordForm<T> : WrittenForm<T> where T : struct, Enum
{
    public override void Write(Utf8JsonWriter writer, T value, JsonSerializerOptions options) =>
        writer.WriteStringValue(JsonOutput.WordOf(value));
}

/// <summary>Seconds to the millisecond.</summary>
internal sealed class SecondsForm : WrittenForm<TimeSpan>
{
    public override void Write(Utf8JsonWriter writer, TimeSpan value, JsonSerializerOptions options) => writer.Rounded(value.TotalSeconds);
}

/// <summary>Three digits behind the point.</summary>
internal sealed class RoundedForm : WrittenForm<double>
{
    public override void Write(Utf8JsonWriter writer, double value, JsonSerializerOptions options) => writer.Rounded(value);
}

internal sealed class RejectForm : WrittenForm<Reject>
{
    public override void Write(Utf8JsonWriter writer, Reject value, JsonSerializerOptions options)
    {
        writer.WriteStartObject();
        IssueJson.WriteMembers(writer, value);
        writer.WriteEndObject();
    }
}
