SELECT born, pay, size, name FROM people ORDER BY id;
