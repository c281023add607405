namespace BulkLoad.Core.Options;

/// <summary>A column that the file does not fill: the server works its value out for each row.</summary>
/// <param name="Column">the column's name</param>
/// <param name="Expression">SQL of the user's own; <see cref="LoadRequest.Validate"/> ensures that it cannot end the statement it is
/// in</param>
public sealed record ColumnAssignment(string Column, string Expression);
