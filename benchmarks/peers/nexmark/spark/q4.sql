SELECT category, avg(price) AS mean, count(*) AS auctions
FROM (
  SELECT a.id, a.category, max(b.price) AS price
  FROM auctions a JOIN bids b ON a.id = b.auction AND b.ts BETWEEN a.ts AND a.expires
  GROUP BY a.id, a.category
)
GROUP BY category
