SELECT id, HEX(v) v FROM t;
