namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Everything that a server writes of indexes, and names and texts that look like such.</summary>
public static class IndexedTables
{
    /// <summary>Server, tables, and the indexes that a rebuild leaves where they are.</summary>
    public static TheoryData<string, string, string> All => new()
    {
        {
            Servers.MariaDb,
            """
            CREATE TABLE parent (id INT PRIMARY KEY);
            CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b VARCHAR(100) DEFAULT 'x, KEY `z` (`a`)\n,' COMMENT 'it''s\n  KEY `fake` (`a`),\n"', `we``i,rd)` INT COMMENT 'a \\', c TEXT,
              p INT, g INT AS (a + 1) VIRTUAL, d DATETIME NOT NULL DEFAULT '2020-01-01', r INT, n INT NOT NULL DEFAULT 7,
              KEY commented (a) COMMENT 'he said, "x" \\ ''y'' `z`\n,KEY `k` (a)/* */', KEY prefixed (b(10), a DESC), KEY `we``ird,) 'key` (`we``i,rd)`), KEY sized (c(20)) KEY_BLOCK_SIZE=4,
              KEY ignored (n) IGNORED, KEY typed (a, b) USING BTREE, KEY näme (n, d), KEY made (g), UNIQUE KEY only_one (n, id), FULLTEXT KEY words (b), KEY parent_key (p), KEY pointed_to (r),
              FOREIGN KEY (p) REFERENCES parent (id), CHECK (b <> 'x\', KEY `k` (a)'));
            CREATE TABLE child (r INT, FOREIGN KEY (r) REFERENCES t (r));
            """,
            "made words parent_key pointed_to only_one"
        },
        {
            Servers.MySql,
            """
            CREATE TABLE parent (id INT PRIMARY KEY);
            CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b VARCHAR(100) DEFAULT 'x, KEY `z` (`a`)\n,' COMMENT 'it''s\n  KEY `fake` (`a`),\n"', `we``i,rd)` INT COMMENT 'a \\', c TEXT,
              p INT, g INT AS (a + 1) VIRTUAL, d DATETIME NOT NULL DEFAULT '2020-01-01', r INT, n INT NOT NULL DEFAULT 7,
              KEY commented (a) COMMENT 'he said, "x" \\ ''y'' `z`\n,KEY `k` (a)/* */', KEY prefixed (b(10), a DESC), KEY `we``ird,) 'key` (`we``i,rd)`), KEY sized (c(20)) KEY_BLOCK_SIZE=4,
              KEY hidden (n) INVISIBLE, KEY typed (a, b) USING BTREE, KEY näme (n, d), KEY made (g), KEY computed ((a + n)), UNIQUE KEY only_one (n, id), FULLTEXT KEY words (b) WITH PARSER ngram, KEY parent_key (p), KEY secondary_attributed (d) SECONDARY_ENGINE_ATTRIBUTE '{"a": ","}',
              FOREIGN KEY (p) REFERENCES parent (id), CHECK (b <> 'x\', KEY `k` (a)'));
            """,
            "made words parent_key computed only_one"
        },
    };
}
