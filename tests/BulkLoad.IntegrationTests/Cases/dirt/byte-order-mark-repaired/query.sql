SELECT HEX(name), city FROM t ORDER BY name;
