namespace BulkLoad.IntegrationTests.Seeding;

/// <summary>Eleven tables with foreign keys as in the sample database Chinook, and some that are harder to put back.</summary>
internal static class MusicShop
{
    public const string Tables = """
        CREATE TABLE artist (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(120));
        CREATE TABLE album (id INT AUTO_INCREMENT PRIMARY KEY, title VARCHAR(160) NOT NULL, artist_id INT NOT NULL,
          FOREIGN KEY (artist_id) REFERENCES artist (id) ON DELETE CASCADE);
        CREATE TABLE genre (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(120) CHARACTER SET latin1, UNIQUE KEY (name));
        CREATE TABLE media_type (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(120), UNIQUE KEY (name));
        CREATE TABLE track (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(200) NOT NULL, composer VARCHAR(220) NOT NULL DEFAULT '', album_id INT, media_type_id INT NOT NULL, genre_id INT,
          milliseconds INT NOT NULL, bytes INT, price DECIMAL(10,2) NOT NULL, cents INT AS (price * 100) STORED, seconds INT AS (milliseconds DIV 1000) VIRTUAL, KEY (seconds),
          FOREIGN KEY (album_id) REFERENCES album (id) ON DELETE SET NULL, FOREIGN KEY (media_type_id) REFERENCES media_type (id), FOREIGN KEY (genre_id) REFERENCES genre (id));
        CREATE TABLE playlist (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(120));
        CREATE TABLE playlist_track (playlist_id INT NOT NULL, track_id INT NOT NULL, PRIMARY KEY (playlist_id, track_id),
          FOREIGN KEY (playlist_id) REFERENCES playlist (id) ON DELETE CASCADE, FOREIGN KEY (track_id) REFERENCES track (id) ON DELETE CASCADE);
        CREATE TABLE employee (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40) NOT NULL, reports_to INT, born DATETIME(6),
          FOREIGN KEY (reports_to) REFERENCES employee (id));
        CREATE TABLE customer (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40) NOT NULL, phone VARCHAR(24) NOT NULL, fax VARCHAR(24) NOT NULL, support_id INT,
          changed TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), FOREIGN KEY (support_id) REFERENCES employee (id));
        CREATE TABLE invoice (id INT AUTO_INCREMENT PRIMARY KEY, customer_id INT NOT NULL, total DECIMAL(10,2) NOT NULL, note TEXT,
          FOREIGN KEY (customer_id) REFERENCES customer (id));
        CREATE TABLE invoice_line (id INT AUTO_INCREMENT PRIMARY KEY, invoice_id INT NOT NULL, track_id INT NOT NULL, quantity INT NOT NULL,
          FOREIGN KEY (invoice_id) REFERENCES invoice (id), FOREIGN KEY (track_id) REFERENCES track (id));

        """;

    /// <summary>Numbers from 0 to 9999, for rows by the thousand.</summary>
    public const string Numbers = """
        CREATE TEMPORARY TABLE d (n INT); INSERT INTO d VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9);
        CREATE TEMPORARY TABLE d1 LIKE d; INSERT INTO d1 SELECT * FROM d; CREATE TEMPORARY TABLE d2 LIKE d; INSERT INTO d2 SELECT * FROM d;
        CREATE TEMPORARY TABLE d3 LIKE d; INSERT INTO d3 SELECT * FROM d; CREATE TEMPORARY TABLE n (n INT PRIMARY KEY);
        INSERT INTO n SELECT d.n + 10 * d1.n + 100 * d2.n + 1000 * d3.n FROM d, d1, d2, d3;

        """;

    /// <summary>As many rows as Chinook has, about: 15,500.</summary>
    public const string Rows = Numbers + """
        INSERT INTO artist (name) SELECT CONCAT('Artist ', n) FROM n WHERE n < 275 ORDER BY n;
        INSERT INTO album (title, artist_id) SELECT CONCAT('Album ', n), 1 + n % 275 FROM n WHERE n < 347 ORDER BY n;
        INSERT INTO genre (name) SELECT CONCAT('Genre ', n) FROM n WHERE n < 25 ORDER BY n;
        INSERT INTO media_type (name) SELECT CONCAT('Type ', n) FROM n WHERE n < 5 ORDER BY n;
        INSERT INTO track (name, composer, album_id, media_type_id, genre_id, milliseconds, bytes, price)
          SELECT CONCAT('Track ', n), CONCAT('Composer ', n % 300), 1 + n % 347, 1 + n % 5, 1 + n % 25, 200000 + n, 5000000 + n, 0.99 FROM n WHERE n < 3503 ORDER BY n;
        INSERT INTO playlist (name) SELECT CONCAT('List ', n) FROM n WHERE n < 18 ORDER BY n;
        INSERT INTO playlist_track SELECT 1 + n % 18, 1 + n DIV 18 FROM n WHERE n < 8715;
        INSERT INTO employee (name, reports_to, born) SELECT CONCAT('Employee ', n), NULLIF(n, 0), '1970-01-01 00:00:00.000001' FROM n WHERE n < 8 ORDER BY n;
        INSERT INTO customer (name, phone, fax, support_id) SELECT CONCAT('Customer ', n), CONCAT('+49 ', n), '', 1 + n % 8 FROM n WHERE n < 59 ORDER BY n;
        INSERT INTO invoice (customer_id, total, note) SELECT 1 + n % 59, n, REPEAT('x', n % 50) FROM n WHERE n < 412 ORDER BY n;
        INSERT INTO invoice_line (invoice_id, track_id, quantity) SELECT 1 + n % 412, 1 + n, 1 FROM n WHERE n < 2240 ORDER BY n;

        """;

    /// <summary>Types whose values are the same to an ordinary comparison, and yet are not.</summary>
    public const string Hard = """
        CREATE TABLE odd (k VARCHAR(20) NOT NULL, k2 DATE NOT NULL, v VARCHAR(20), c CHAR(10), b VARBINARY(20), t TEXT CHARACTER SET latin1, f FLOAT, d DOUBLE, e ENUM('a','A '',','') , s SET('x','y','z'),
          bits BIT(64), j JSON, g GEOMETRY, ts TIMESTAMP(3) NULL, dt DATETIME(6), tm TIME(6), y YEAR, big BIGINT UNSIGNED, PRIMARY KEY (k, k2), UNIQUE KEY (v)) COLLATE utf8mb4_general_ci;
        SET sql_mode='ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO';
        INSERT INTO odd VALUES ('a', '0000-00-00', 'eins', 'x', x'00ff20', 'ä', 0.1, -0e0, 'a', 'x,z', 18446744073709551615, '{"a": 1.0}', ST_GeomFromText('POINT(1 2)'), '2026-10-25 00:30:00', '2026-02-31 00:00:00', '-01:00:00.000001', 2026, 18446744073709551615);
        INSERT INTO odd VALUES ('ä', '2026-01-01', 'Zwei', '', '', '', 1e-40, 1e300, '', '', 0, '[]', NULL, NULL, NULL, NULL, NULL, 0);
        INSERT INTO odd VALUES ('ß ', '2026-01-01', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        INSERT IGNORE INTO odd (k, k2, e) VALUES ('wrong', '2026-01-01', 'no such label');
        UPDATE odd SET d = -d WHERE k = 'a';
        CREATE TABLE keyless (a INT, b VARCHAR(10), f FLOAT);
        INSERT INTO keyless VALUES (1, 'x', 0.5), (1, 'x', 0.5), (1, 'X', 0.5), (NULL, NULL, NULL), (NULL, NULL, NULL);
        CREATE TABLE half_keyed (a INT NOT NULL, b VARCHAR(10), UNIQUE KEY (a), UNIQUE KEY (b));
        INSERT INTO half_keyed VALUES (1, 'x'), (2, 'y'), (3, NULL), (4, NULL);
        CREATE TABLE audit (id BIGINT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(100), at TIMESTAMP(6) DEFAULT CURRENT_TIMESTAMP(6));
        INSERT INTO audit (what) VALUES ('seeded');
        CREATE TABLE stamped (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20) UNIQUE, at DATETIME(6), `order` INT);
        INSERT INTO stamped (name, at) VALUES ('one', '2026-01-01'), ('two', '2026-01-02'), ('three', NULL);
        CREATE TRIGGER stamped_at BEFORE INSERT ON stamped FOR EACH ROW SET NEW.at = NOW(6);
        CREATE TRIGGER invoice_added AFTER INSERT ON invoice FOR EACH ROW INSERT INTO audit (what) VALUES (CONCAT('added ', NEW.id));
        CREATE TRIGGER invoice_gone AFTER DELETE ON invoice FOR EACH ROW INSERT INTO audit (what) VALUES (CONCAT('gone ', OLD.id));
        CREATE TABLE empty_one (id INT AUTO_INCREMENT PRIMARY KEY, `weird ``name` TEXT);
        CREATE TABLE `my-table$ä` (id INT AUTO_INCREMENT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES `my-table$ä` (id));
        INSERT INTO `my-table$ä` VALUES (0, 0), (5, 0);

        """;

    /// <summary>What somebody does to the tables between two resets.</summary>
    public static string Change(Random random)
    {
        string[] changes =
        [
            $"UPDATE track SET name = UPPER(name) WHERE id % 97 = {random.Next(97)}",
            $"UPDATE track SET name = CONCAT(name, ' ') WHERE id % 97 = {random.Next(97)}",
            $"UPDATE track SET composer = name, name = '' WHERE id = {random.Next(3000)}",
            "UPDATE customer SET fax = phone, phone = '' WHERE id % 2 = 0",
            $"UPDATE track a JOIN track b ON a.id = {random.Next(1, 3000)} AND b.id = {random.Next(1, 3000)} SET a.bytes = b.bytes, "
                + "b.bytes = a.bytes",
            $"DELETE FROM artist WHERE id % 50 = {random.Next(50)}",
            $"DELETE FROM playlist_track WHERE track_id % 10 = {random.Next(10)}",
            $"INSERT INTO playlist_track SELECT {random.Next(1, 18)}, id FROM track WHERE id > 3000 ON DUPLICATE KEY UPDATE playlist_id = "
                + "playlist_id",
            "INSERT INTO artist (name) VALUES ('new'), (NULL)",
            "INSERT INTO genre (name) VALUES ('new'); DELETE FROM genre WHERE name = 'new'",
            "START TRANSACTION; INSERT INTO employee (name) VALUES ('nobody'); ROLLBACK",
            "UPDATE employee SET reports_to = NULL",
            $"UPDATE employee SET born = born + INTERVAL 1 MICROSECOND WHERE id = {random.Next(1, 9)}",
            "SET foreign_key_checks=0; TRUNCATE TABLE invoice_line; SET foreign_key_checks=1",
            "SET foreign_key_checks=0; TRUNCATE TABLE playlist; SET foreign_key_checks=1",
            "SET foreign_key_checks=0; UPDATE media_type SET id = id + 100; SET foreign_key_checks=1",
            "INSERT INTO invoice (customer_id, total) SELECT id, 1 FROM customer",
            $"SET foreign_key_checks=0; DELETE FROM invoice WHERE id % 20 = {random.Next(20)}; SET foreign_key_checks=1",
            "UPDATE odd SET k = UPPER(k) WHERE v = 'eins'",
            "UPDATE odd SET v = UPPER(v)",
            "UPDATE odd SET c = CONCAT(c, 'x'), b = CONCAT(b, x'20'), t = CONCAT(t, ' ') WHERE v = 'eins'",
            "UPDATE odd SET d = 0 WHERE d = 0",
            "UPDATE odd SET f = f * 1.0000001",
            "UPDATE odd SET e = 3 WHERE k = 'wrong'",
            "UPDATE odd SET s = 'y', bits = bits ^ 1",
            "UPDATE odd SET j = '{\"a\": 1}' WHERE v = 'eins'",
            "UPDATE odd SET g = ST_GeomFromText('POINT(1 3)') WHERE v = 'eins'",
            "SET time_zone='Europe/Berlin'; UPDATE odd SET ts = '2026-10-25 02:30:00' WHERE v = 'eins'; SET time_zone=SYSTEM",
            "UPDATE odd SET ts = '2026-10-25 01:30:00' WHERE v = 'eins'",
            "DELETE FROM odd",
            "INSERT INTO keyless SELECT * FROM keyless",
            "DELETE FROM keyless LIMIT 1",
            "UPDATE keyless SET b = LOWER(b)",
            "DELETE FROM keyless WHERE a IS NULL LIMIT 1",
            "UPDATE half_keyed SET b = NULL WHERE a = 1; UPDATE half_keyed SET b = 'x' WHERE a = 2",
            "DELETE FROM half_keyed",
            "DELETE FROM stamped WHERE id = 2",
            "UPDATE stamped SET at = NULL; INSERT INTO stamped (name) VALUES ('four')",
            "UPDATE stamped SET name = 'other' WHERE id = 1; UPDATE stamped SET name = 'one' WHERE id = 2",
            "INSERT INTO empty_one (id) VALUES (100); DELETE FROM empty_one",
            "INSERT INTO empty_one VALUES ()",
            "TRUNCATE TABLE audit",
            "INSERT INTO `my-table$ä` VALUES (77, 5)",
            "SET foreign_key_checks=0; DELETE FROM `my-table$ä` WHERE id = 0; SET foreign_key_checks=1",
        ];
        return changes[random.Next(changes.Length)];
    }

    /// <summary>All that can be told of the tables, by the server's own client: definitions, ids that come next, checksums, rows.</summary>
    public static async Task<string> DescribeAsync(TestServer server, string database)
    {
        var tables = (await ServerClient.RunAsync(
            server, database, $"SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{database}' AND TABLE_NAME NOT LIKE "
                + "'bulkload%' ORDER BY 1;", "--skip-column-names"))
            .Split('\n', StringSplitOptions.RemoveEmptyEntries);
        var text = new StringBuilder();
        foreach (var table in tables)
        {
            // Table track has generated columns: MariaDB's checksum of it is another one each time that it is opened.
            var checksum = table == "track" ? "" : $"CHECKSUM TABLE `{table}`; ";
            var rows = await ServerClient.RunAsync(
                server, database, $"SET time_zone='+00:00'; SHOW CREATE TABLE `{table}`; {checksum}SELECT * FROM `{table}`;");
            text.AppendJoin('\n', rows.Split('\n').Order(StringComparer.Ordinal)).Append('\n');
        }

        return text.ToString();
    }
}
