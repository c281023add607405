CREATE TABLE squares (id INT PRIMARY KEY, side INT NOT NULL, area INT AS (side*side) STORED);
INSERT INTO squares (id,side) VALUES (1,2),(2,3);
