namespace BulkLoad.Core.Protocol;

/// <summary>A LOAD DATA LOCAL INFILE statement, without its content.</summary>
/// <param name="Prologue">
/// a statement that returns no rows and goes out before it, without a wait in between; null for none. If it fails, nothing is
/// loaded, and its fault is thrown.
/// </param>
/// <param name="Statement">names the file</param>
/// <param name="FileName">the only file that is served</param>
internal sealed record LocalLoad(string? Prologue, string Statement, string FileName);
