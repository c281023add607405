CREATE TABLE people (id INT PRIMARY KEY, city VARCHAR(40) DEFAULT 'none', tag VARCHAR(40), dotted INT);
