CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(9) NOT NULL, nick VARCHAR(9), age INT NOT NULL DEFAULT 18);
INSERT INTO people VALUES (1,'a','aa',1),(2,'b','bb',2),(3,'c','cc',3),(4,'d','dd',4);
