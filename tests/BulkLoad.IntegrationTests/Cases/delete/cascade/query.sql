SELECT 'parent' AS what, id FROM parents UNION ALL SELECT 'child', id FROM children ORDER BY 1, 2;
