CREATE TABLE people (id INT PRIMARY KEY, email VARCHAR(40) NOT NULL UNIQUE, active INT NOT NULL, team INT);
INSERT INTO people VALUES (1,'ada@x',1,7),(2,'bob@x',1,7),(3,'cy@x',0,8),(4,'dee@x',0,8),(5,'eve@x',1,9);
