SELECT id, HEX(v), v IS NULL FROM nasty ORDER BY id;
