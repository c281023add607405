SELECT id, HEX(a) a, HEX(b) b, HEX(c) c FROM t;
