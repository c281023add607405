SELECT id, JSON_TYPE(j) type, HEX(CAST(j AS CHAR)) j, s FROM t;
