CREATE TABLE nodes (id INT PRIMARY KEY, parent INT, CONSTRAINT nodes_parent FOREIGN KEY (parent) REFERENCES nodes (id));
INSERT INTO nodes VALUES (1,NULL),(2,1),(3,1),(4,3);
