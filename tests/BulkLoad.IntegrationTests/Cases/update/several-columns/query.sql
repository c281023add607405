SELECT * FROM order_lines ORDER BY 1,2;
