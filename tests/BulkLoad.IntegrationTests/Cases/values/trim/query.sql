SELECT id, CONCAT('[',a,']') a, n, d, b, e, f, h, y FROM t ORDER BY 1;
