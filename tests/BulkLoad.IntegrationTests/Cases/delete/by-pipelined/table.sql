CREATE TABLE parents (id INT PRIMARY KEY);
CREATE TABLE children (id INT PRIMARY KEY, parent INT, FOREIGN KEY children_parent (parent) REFERENCES parents (id));
INSERT INTO parents VALUES (1),(2),(3),(4);
INSERT INTO children VALUES (10,2),(11,4);
