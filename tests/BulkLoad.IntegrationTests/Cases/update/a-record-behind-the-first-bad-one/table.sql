CREATE TABLE people (id INT PRIMARY KEY, email VARCHAR(40) NOT NULL UNIQUE, name VARCHAR(20), age INT);
INSERT INTO people VALUES (1,'ada@x','Ada',36),(2,'bob@x','Bob',41),(3,'cy@x','Cy',NULL),(4,'dee@x','Dee',7);
