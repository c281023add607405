namespace BulkLoad.Core.Sql;

/// <summary>Statements about two tables: one has rows that were numbered as they came, <c>s</c>, the other one the ids that such rows have
/// in a third table, <c>k</c>, in the same order. Numbers may have gaps. Pure.</summary>
/// <param name="rows">quoted</param>
/// <param name="ids">quoted</param>
internal sealed class GivenIdSql(string rows, string ids)
{
    /// <summary>Columns as the header of the file has them.</summary>
    public string CreateIds =>
        $"CREATE TABLE {ids} (n BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, file TEXT, record BIGINT UNSIGNED NOT NULL, "
        + "id BIGINT UNSIGNED NOT NULL) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4";

    /// <summary>A row for each of these 1-based places: place, id.</summary>
    public string FindIds(IEnumerable<long> places) =>
        $"SELECT place, id FROM {Numbered} WHERE place IN ({string.Join(", ", places)}) ORDER BY place";

    /// <param name="to">quoted</param>
    /// <param name="id">the column that gets the ids</param>
    /// <param name="others">all other columns that have values</param>
    public string Fill(string to, string id, IReadOnlyList<string> others)
    {
        string[] all = [id, .. others];
        var values = string.Concat(others.Select(column => $", s.{SqlName.Quote(column)}"));
        var columns = string.Concat(others.Select(column => $", {SqlName.Quote(column)}"));
        return $"INSERT INTO {to} ({SqlName.List(all)}) SELECT k.id{values} FROM (SELECT ROW_NUMBER() OVER (ORDER BY {SqlName.Quote(id)}) "
            + $"place{columns} FROM {rows}) s JOIN {Numbered} ON k.place = s.place";
    }

    private string Numbered => $"(SELECT ROW_NUMBER() OVER (ORDER BY n) place, id FROM {ids}) k";
}
