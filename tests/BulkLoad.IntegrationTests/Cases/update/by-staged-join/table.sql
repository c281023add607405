CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20), age INT CHECK (age < 200));
INSERT INTO people VALUES (1,'Ada',36),(2,'Bo',41),(3,'Cy',NULL);
