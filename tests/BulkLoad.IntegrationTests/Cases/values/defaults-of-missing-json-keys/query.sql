SELECT id, a, b, c, d > NOW() - INTERVAL 1 DAY AS recent FROM t ORDER BY id;
