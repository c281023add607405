SELECT id, ST_AsText(p) p FROM t ORDER BY 1;
