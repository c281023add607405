CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20));
INSERT INTO people VALUES (1,'a'),(2,'b');
