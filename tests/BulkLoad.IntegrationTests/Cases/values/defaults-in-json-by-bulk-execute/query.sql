SELECT id, HEX(v), d < '2024-02-01' FROM nasty ORDER BY id;
