SELECT * FROM people ORDER BY id;
