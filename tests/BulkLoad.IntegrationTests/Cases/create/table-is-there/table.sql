CREATE TABLE people (id INT);
