namespace BulkLoad.Streamer;

[BulkRow]
internal sealed partial record Streamed(int Id, int Small);
