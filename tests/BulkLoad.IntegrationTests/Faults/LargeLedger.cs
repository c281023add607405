using BulkLoad.Core.Ledger;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Fills a ledger by SQL, from the rows of one real job.</summary>
internal static class LargeLedger
{
    /// <summary>BULKLOAD_TEST_LEDGER=1000000 fills ledgers with a million jobs and a million chunks, which takes minutes.</summary>
    public static int Rows(int usual) => TestVariables.Number("BULKLOAD_TEST_LEDGER") ?? usual;

    /// <summary>Numbers from 1 on, in a table of their own.</summary>
    private static string Numbers(int count)
    {
        var sql = new StringBuilder("CREATE TABLE numbers (n INT PRIMARY KEY); INSERT INTO numbers VALUES (1);");
        for (var made = 1; made < count; made *= 2)
        {
            sql.Append($"INSERT INTO numbers SELECT n + {made} FROM numbers WHERE n + {made} <= {count};");
        }

        return sql.ToString();
    }

    /// <summary>Adds jobs like the only one that is there, each a minute older than the one before; from the 500th on they are 10 days
    /// older still, and from the 1,000th on 110. Their rows are the ones that the program would have written.</summary>
    /// <param name="areSame">whether all have the same content; else none has the first record or anything else of another, but the
    /// path</param>
    public static async Task AddJobsAsync(Workplace place, int count, bool areSame)
    {
        var job = JobRecord.Read(await ServerClient.RunAsync(
            place.Server, place.Database, "SELECT details FROM bulkload_ledger WHERE source = -1;", "--skip-column-names", "--raw"));
        var source = job.Sources[0];
        var completed = job.Completed!.Value.ToString("yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture);
        var details = "j.details";
        foreach (var (name, digest) in new[]
        {
            ("first", source.First), ("head", source.Head), ("whole", source.Whole), ("half", source.Half), ("last", source.Last)
        })
        {
            details = areSame ? details : $"REPLACE({details}, '\"{name}\":\"{digest}\"', CONCAT('\"{name}\":\"', d_{name}, '\"'))";
        }

        details = $"REPLACE({details}, '\"completed\":\"{job.Completed:O}\"', CONCAT('\"completed\":\"', DATE_FORMAT(done, "
            + "'%Y-%m-%dT%H:%i:%s.0000000Z'), '\"'))";
        var digests = string.Join(", ",
            new[] { ("first", source.First), ("head", source.Head), ("whole", source.Whole), ("half", source.Half), ("last", source.Last) }
                .Select(one => (areSame ? $"'{one.Item2}'" : $"LEFT(SHA2(CONCAT(n, '{one.Item1}'), 256), 32)") + $" d_{one.Item1}"));
        var length = (source.Length << 22).ToString();
        const string First = "((1 + (CAST(CONV(LEFT(SHA2(CONCAT('32:', d_first), 256), 16), 16, 10) AS UNSIGNED) & 549755813886)) << 22)";
        string[] rows =
        [
            Row(Key('f', "32", "d_first"), "0", "''"), Row(Key('f', "32", "d_first"), $"{1 + source.HalfLength}", "id"),
            Row(Key('p', $"{source.Path!.Length}", $"'{source.Path}'"), "0", "''"),
            Row(Key('p', $"{source.Path!.Length}", $"'{source.Path}'"), $"{First} + place", "id"),
            Row(Key('h', $"{source.HalfLength}".Length.ToString(), $"'{source.HalfLength}'", "32", "d_half"), $"{length} + place", "id"),
            Row(Key('w', $"{source.Length}".Length.ToString(), $"'{source.Length}'", "32", "d_whole"),
                $"{JobIndex.OfName(source, job.Rules).From} + place", "id"),
            Row(Key('e', "32", "d_last"), "0", "''"), Row(Key('e', "32", "d_last"), $"{length} + place", "id"),
            Row($"'/{job.Family}d'", "(TO_SECONDS(done) - 31622400) * 1000000", "id"),
        ];
        await place.QueryAsync($"""
            {Numbers(count)}
            CREATE TABLE made AS SELECT * FROM bulkload_ledger;
            CREATE TABLE names (n INT PRIMARY KEY, id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin) DEFAULT CHARSET ascii AS
                SELECT n, id, CAST(CONV(LEFT(SHA2(CONCAT('16:', id), 256), 16), 16, 10) AS UNSIGNED) & 4194303 place, {digests},
                TIMESTAMP '{completed}' - INTERVAL n * 60 + IF(n >= 500, 864000, 0) + IF(n >= 1000, 8640000, 0) SECOND done FROM (SELECT n, LEFT(SHA2(CONCAT('job', n), 256), 16) id FROM numbers) some;
            SET autocommit = 0;
            INSERT INTO bulkload_ledger SELECT id, source, first_record, last_record, first_offset, last_offset, content, taken, rejected,
                {details}, program, done FROM names JOIN made j WHERE j.source = -1 ORDER BY id;
            INSERT INTO bulkload_ledger SELECT id, source, first_record, last_record, first_offset, last_offset, content, taken, rejected,
                j.details, program, done FROM names JOIN made j WHERE j.source >= 0 ORDER BY id;
            INSERT INTO bulkload_ledger SELECT '/{job.Family}', -2, CAST(CONV(LEFT(SHA2(id, 256), 16), 16, 10) AS UNSIGNED) & 9223372036854775807, 0, 0, 0, id,
                0, 0, '', '0.0.0', done FROM names;
            {string.Join('\n', rows)}
            COMMIT;
            DROP TABLE made, names, numbers;
            ANALYZE TABLE bulkload_ledger;
            """);

        static string Row(string key, string rank, string id) =>
            $"INSERT INTO bulkload_ledger SELECT {key}, -3, {rank}, 0, 0, 0, {id}, 1, 0, '', '0.0.0', done FROM names "
                + "ON DUPLICATE KEY UPDATE taken = bulkload_ledger.taken + 1, content = VALUES(content);";

        string Key(char kind, params string[] words) =>
            $"CONCAT('/{job.Family}{kind}', LEFT(SHA2(CONCAT('{source.Mapping.Length}:{source.Mapping}'"
                + $"{string.Concat(words.Chunk(2).Select(word => $", CHAR(0), '{word[0]}:', {word[1]}"))}), 256), 32))";
    }

    /// <summary>Makes a job of one record a chunk that is stopped before its last record, whose file is <c>chunks.csv</c>.</summary>
    public static async Task AddChunksAsync(Workplace place, int count)
    {
        string[] import = ["import", "chunks.csv", "--table", "chunked", "--rows-per-chunk", "1"];
        await place.QueryAsync("CREATE TABLE chunked (id INT PRIMARY KEY, v VARCHAR(10));");
        place.Write("chunks.csv", "id,v\n1,v\n2,v\nx,v\n");
        (await place.RunAsync(import)).ShouldExitWith(4);
        var job = await place.ScalarAsync(
            "SELECT job FROM bulkload_ledger WHERE source = 0 AND first_record = 2 AND details LIKE '%inserted%' LIMIT 1;");
        var (text, sql, offset, hash) = (new StringBuilder("id,v\n"), new StringBuilder(), 5L, new ChunkHash());
        for (var i = 1; i <= count; i++)
        {
            var record = $"{i},v";
            hash.Add(offset, Encoding.ASCII.GetBytes(record));
            if (hash.Finish() is var content && i is > 2 && i < count)
            {
                sql.Append(i % 1000 == 3 ? $"INSERT INTO bulkload_ledger VALUES ('{job}', 0, " : $", ('{job}', 0, ")
                    .Append(
                        $"{i}, {i}, {offset}, {offset}, '{content}', 1, 0, '{{\"batches\":1,\"inserted\":1}}', '0.0.0', UTC_TIMESTAMP())")
                    .Append(i % 1000 == 2 || i == count - 1 ? ";\n" : "");
            }

            text.Append(record).Append('\n');
            offset += record.Length + 1;
        }

        place.Write("chunks.csv", text.ToString());
        await place.QueryAsync($"SET autocommit = 0; {sql} COMMIT; {Numbers(count)} INSERT INTO chunked SELECT n, 'v' FROM numbers WHERE n "
            + $"> 2 AND n < {count}; "
            + "COMMIT; DROP TABLE numbers; ANALYZE TABLE bulkload_ledger, chunked;");
    }
}
