CREATE TABLE `rows` (id INT PRIMARY KEY, `select` INT, `a``b` INT, `it's "q"` INT, `*/ --` INT, `line
break` INT, `größe` INT, `?` INT, `%s {0}` INT);
