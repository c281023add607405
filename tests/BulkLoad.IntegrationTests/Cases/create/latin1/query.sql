SELECT id, name, HEX(name) FROM people;
