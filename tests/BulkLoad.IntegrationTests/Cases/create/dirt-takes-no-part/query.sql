SELECT * FROM people;
