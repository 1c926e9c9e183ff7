SELECT * FROM reviews WHERE product_id = 4711 ORDER BY created_at DESC LIMIT 20;
