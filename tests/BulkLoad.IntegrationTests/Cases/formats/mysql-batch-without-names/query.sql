SELECT id, HEX(name), note FROM q ORDER BY id;
