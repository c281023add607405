INSERT INTO people VALUES (1,'Ada');
