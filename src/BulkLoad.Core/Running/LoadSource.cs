using BulkLoad.Core.Mapping;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Running;

/// <summary>One input, looked at and mapped, not yet read.</summary>
/// <param name="Look">what its beginning tells</param>
/// <param name="Mapping">where its fields go</param>
/// <param name="Opened">still open where it cannot be opened twice (a pipe), else null</param>
internal sealed record LoadSource(SourceLook Look, ColumnMapping Mapping, InputFile? Opened);
