SELECT LENGTH(id), name FROM t ORDER BY name;
