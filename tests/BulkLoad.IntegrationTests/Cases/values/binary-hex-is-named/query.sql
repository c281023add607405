SELECT id, LENGTH(h) h, HEX(b) b FROM t;
