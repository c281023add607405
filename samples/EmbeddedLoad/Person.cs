using BulkLoad;

namespace EmbeddedLoad;

/// <summary>The generator writes the map of this type: members find columns of the same name.</summary>
[BulkRow]
internal sealed partial class Person
{
    public required int Id { get; init; }

    [BulkColumn("full_name")]
    public required string Name { get; init; }

    public DateOnly? Born { get; init; }

    public DateTime? Seen { get; init; }

    [BulkColumn(EnumName = true)]
    public Status Status { get; init; }

    [BulkColumn(Converter = typeof(Cents))]
    public Money Balance { get; init; }

    [BulkColumn("row_key", Form = BulkForm.Uuid)]
    public Guid Key { get; init; }

    public byte[]? Photo { get; init; }

    [BulkIgnore]
    public string Greeting => $"Hello, {Name}";
}

internal enum Status
{
    Active,
    Gone,
}

internal readonly record struct Money(long Cents);

internal sealed class Cents : IBulkConverter<Money, decimal>
{
    public static decimal Convert(Money value) => value.Cents / 100m;
}

/// <summary>What changes where somebody moves.</summary>
[BulkRow]
internal sealed partial class Move
{
    public int Id { get; init; }

    public string? City { get; init; }
}

/// <summary>As if it came from a package.</summary>
internal sealed record ThirdPartyPoint(int PointId, double Longitude, string LabelText)
{
    public object? Tag { get; init; }
}

/// <summary>Maps of types that are not one's own.</summary>
[BulkMap(typeof(ThirdPartyPoint), Naming = BulkNaming.SnakeCase, Ignore = [nameof(EmbeddedLoad.ThirdPartyPoint.Tag)])]
internal static partial class Maps;
