CREATE TABLE people (id INT PRIMARY KEY, team INT, age INT CHECK (age<150), FOREIGN KEY (team) REFERENCES teams (id));
INSERT INTO people VALUES (1,7,10),(2,7,20),(3,8,30),(4,8,40),(5,8,50);
