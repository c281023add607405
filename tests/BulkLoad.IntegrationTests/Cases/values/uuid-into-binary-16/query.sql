SELECT HEX(id) id, HEX(raw) raw FROM t;
