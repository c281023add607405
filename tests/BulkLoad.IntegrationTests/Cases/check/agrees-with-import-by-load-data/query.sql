SELECT id FROM people ORDER BY id;
