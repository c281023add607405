CREATE TABLE people (id INT PRIMARY KEY, mail VARCHAR(20) COLLATE utf8mb4_general_ci UNIQUE, age INT);
INSERT INTO people VALUES (1, 'a@x', 36), (2, 'b@x', 40), (3, 'c@x', 50);
