namespace BulkLoad.Core.Protocol;

/// <summary>A server's OK packet.</summary>
/// <param name="AffectedRows">rows touched, 64 bits</param>
/// <param name="LastInsertId">the first id that the server generated, or 0</param>
/// <param name="Warnings">warnings raised; the wire's count stops at 65,535</param>
/// <param name="Info">the human-readable text, such as <c>Records: 3  Deleted: 0  Skipped: 0  Warnings: 1</c>, or empty</param>
/// <param name="Status">the status flags (SERVER_STATUS_*)</param>
internal readonly record struct Answer(ulong AffectedRows, ulong LastInsertId, ushort Warnings, string Info, ushort Status);
