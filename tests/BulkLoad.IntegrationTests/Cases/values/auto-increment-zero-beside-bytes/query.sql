SELECT id, HEX(v) v FROM t ORDER BY id;
