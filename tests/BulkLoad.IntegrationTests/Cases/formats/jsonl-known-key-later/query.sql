SELECT COUNT(*), COUNT(name), SUM(age) FROM people;
