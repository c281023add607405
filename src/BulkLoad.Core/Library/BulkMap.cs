namespace BulkLoad;

/// <summary>How the bytes of a member are stored.</summary>
public enum BulkForm
{
    /// <summary>As the column's type asks: bytes as they are, everything else as its text.</summary>
    Plain,

    /// <summary>A <see cref="Guid"/> in a column of 16 bytes: they are in the order of its digits, as UUID_TO_BIN() has them.</summary>
    Uuid,
}

/// <summary>A member of a type, and its column.</summary>
/// <param name="Name">of the member</param>
/// <param name="Column">of the table; case does not count</param>
public readonly record struct BulkMember(string Name, string Column, BulkForm Form = BulkForm.Plain);

/// <summary>Which members of a type go to which columns. The generator makes one for each type with <see cref="BulkRowAttribute"/>, and for
/// each that a class with <see cref="BulkMapAttribute"/> names; one by hand works too.</summary>
/// <typeparam name="T">of the objects</typeparam>
/// <param name="members">in the order in which <paramref name="write"/> writes them; columns that are not among them get their
/// defaults</param>
/// <param name="write">writes one value for each member</param>
public sealed class BulkMap<T>(IReadOnlyList<BulkMember> members, Action<BulkRowWriter, T> write)
{
    /// <summary>In the order in which <see cref="Write"/> writes them.</summary>
    public IReadOnlyList<BulkMember> Members { get; } = members.Count > 0
        ? members : throw new ArgumentException("a map needs a member", nameof(members));

    /// <summary>Writes one value for each of <see cref="Members"/>.</summary>
    public Action<BulkRowWriter, T> Write { get; } = write;

    /// <summary>The columns of members, by the members' names; a name that is no member's is a column's.</summary>
    internal string ColumnOf(string name) =>
        Members.FirstOrDefault(member => member.Name == name) is { Column: { } column } ? column : name;
}

/// <summary>A type with a map of its own. The generator writes it for a partial type with <see cref="BulkRowAttribute"/>.</summary>
/// <typeparam name="TSelf">the type itself</typeparam>
public interface IBulkRow<TSelf>
    where TSelf : IBulkRow<TSelf>
{
    /// <summary>Which members go to which columns.</summary>
    static abstract BulkMap<TSelf> BulkMap { get; }
}

/// <summary>Makes a value that can be stored from one that cannot. Name it in <see cref="BulkColumnAttribute"/>.</summary>
/// <typeparam name="TFrom">the member's type</typeparam>
/// <typeparam name="TTo">a type that <see cref="BulkRowWriter"/> takes</typeparam>
public interface IBulkConverter<in TFrom, out TTo>
{
    /// <summary>Called once for each object, in order, on one thread.</summary>
    static abstract TTo Convert(TFrom value);
}

/// <summary>How the names of members become names of columns.</summary>
public enum BulkNaming
{
    /// <summary>They are the same; case does not count.</summary>
    AsWritten,

    /// <summary><c>CreatedAt</c> is <c>created_at</c>.</summary>
    SnakeCase,
}

/// <summary>The generator makes a map of this partial type: its public properties and fields, without those with
/// <see cref="BulkIgnoreAttribute"/>.</summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct)]
public sealed class BulkRowAttribute : Attribute
{
    /// <summary>How members without <see cref="BulkColumnAttribute"/> find their columns.</summary>
    public BulkNaming Naming { get; set; }
}

/// <summary>The generator makes a map of that type as a static property of this partial class. It is for types that cannot have
/// <see cref="BulkRowAttribute"/>.</summary>
/// <param name="type">whose public properties and fields are the members</param>
[AttributeUsage(AttributeTargets.Class, AllowMultiple = true)]
public sealed class BulkMapAttribute(Type type) : Attribute
{
    /// <summary>Whose public properties and fields are the members.</summary>
    public Type Type { get; } = type;

    /// <summary>How members without <see cref="BulkColumnAttribute"/> find their columns.</summary>
    public BulkNaming Naming { get; set; }

    /// <summary>Names of members that no column gets.</summary>
    public string[] Ignore { get; set; } = [];
}

/// <summary>How a member is stored. The generator takes a <c>[Column("name")]</c> of System.ComponentModel.DataAnnotations for the name,
/// too.</summary>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Field | AttributeTargets.Parameter)]
public sealed class BulkColumnAttribute : Attribute
{
    /// <summary>As the member is called.</summary>
    public BulkColumnAttribute()
    {
    }

    /// <param name="name">of the column</param>
    public BulkColumnAttribute(string name) => Name = name;

    /// <summary>Of the column; null: as the member is called.</summary>
    public string? Name { get; }

    /// <summary>Whether an enum is stored by the name of its member; otherwise by its number.</summary>
    public bool EnumName { get; set; }

    /// <summary>How bytes are stored.</summary>
    public BulkForm Form { get; set; }

    /// <summary>A type with <see cref="IBulkConverter{TFrom, TTo}"/>; null: the member's own value is stored.</summary>
    public Type? Converter { get; set; }
}

/// <summary>No column gets the member: the table's default does.</summary>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Field | AttributeTargets.Parameter)]
public sealed class BulkIgnoreAttribute : Attribute;
