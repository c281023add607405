CREATE TABLE people (id INT, name VARCHAR(20));
