CREATE TABLE people (id INT PRIMARY KEY, team VARCHAR(10) COLLATE utf8mb4_general_ci);
INSERT INTO people VALUES (1,'a'),(2,'A'),(3,'b'),(4,NULL),(5,'c');
