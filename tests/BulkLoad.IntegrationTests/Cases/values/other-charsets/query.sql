SELECT id, HEX(a), HEX(b), HEX(c) FROM t;
