SELECT id, ST_AsText(p) p, ST_AsText(g) g FROM t;
