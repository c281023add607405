SELECT id, name, HEX(note), ok, HEX(raw), at FROM people ORDER BY 1;
