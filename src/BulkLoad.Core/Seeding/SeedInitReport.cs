namespace BulkLoad.Core.Seeding;

/// <summary>A file of a folder that was written from a database.</summary>
/// <param name="Name">in the folder</param>
/// <param name="Table">whose rows it has; null: it is none of rows</param>
/// <param name="Rows">how many it has</param>
/// <param name="Bytes">how long it is</param>
public sealed record SeedInitFile(string Name, string? Table, long Rows, long Bytes);

/// <summary>What was written.</summary>
/// <param name="Files">in the order of the foreign keys; what are no rows is last</param>
/// <param name="Notes">what is not in the folder, or has to be known of it, for people</param>
public sealed record SeedInitReport(IReadOnlyList<SeedInitFile> Files, IReadOnlyList<string> Notes);
