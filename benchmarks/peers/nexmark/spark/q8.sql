SELECT p.id, p.name, p.w.start AS since
FROM (SELECT id, name, window(ts, '10 seconds') AS w FROM persons GROUP BY id, name, window(ts, '10 seconds')) p
JOIN (SELECT seller, window(ts, '10 seconds') AS w FROM auctions GROUP BY seller, window(ts, '10 seconds')) a
ON p.id = a.seller AND p.w.start = a.w.start
