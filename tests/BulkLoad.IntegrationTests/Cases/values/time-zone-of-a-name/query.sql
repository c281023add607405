SET time_zone='+00:00'; SELECT * FROM t ORDER BY 1;
