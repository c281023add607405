using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Input.Formats;

/// <summary>Where a reader begins: lines before it were skipped, and a byte order mark was counted.</summary>
/// <param name="Name">the input's name in messages</param>
/// <param name="ByteOffset">of the first byte that the reader gets</param>
/// <param name="LineNumber">1-based line of that byte</param>
/// <param name="FieldCount">fields that a record has to have, where there is no header; 0: as many as the first good one</param>
/// <param name="Origin">is told how far the reader is; null: nobody</param>
internal readonly record struct ReaderStart(
    string Name, long ByteOffset = 0, long LineNumber = 1, int FieldCount = 0, SourceOrigin? Origin = null);
