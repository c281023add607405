CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20), age INT DEFAULT 7);
INSERT INTO people VALUES (1, 'Ada', 36), (2, 'Bob', 40);
