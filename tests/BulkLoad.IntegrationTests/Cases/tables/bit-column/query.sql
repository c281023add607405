SELECT id, b+0 b FROM t;
