namespace BulkLoad.Core.Rejects;

/// <summary>How many bytes of each file of findings are there to stay.</summary>
/// <param name="Records">of the refused records</param>
/// <param name="Reasons">of why they were refused</param>
/// <param name="Repairs">of what was repaired</param>
internal readonly record struct IssuePositions(long Records, long Reasons, long Repairs);
