CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(9));
INSERT INTO people VALUES (1,'a'),(2,'b'),(3,'c');
CREATE TABLE log (id INT, was VARCHAR(9), name VARCHAR(9));
CREATE TRIGGER people_log AFTER UPDATE ON people FOR EACH ROW INSERT INTO log VALUES (OLD.id, OLD.name, NEW.name);
