namespace BulkLoad.Core.Sending;

/// <summary>The table's columns are not those any more that the plan was made for. The message says which; the open chunk must not be committed.</summary>
internal sealed class AlteredTableException(string message) : Exception(message);
