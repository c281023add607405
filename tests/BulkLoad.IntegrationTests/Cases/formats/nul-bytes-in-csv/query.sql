SELECT id, HEX(name) FROM people;
