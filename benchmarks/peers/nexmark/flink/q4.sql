SELECT category, AVG(CAST(price AS DOUBLE)) AS mean, COUNT(*) AS auctions
FROM (
  SELECT auction, category, MAX(price) AS price
  FROM (
    SELECT B.ts AS ts, A.id AS auction, A.category AS category, B.price AS price
    FROM auctions A JOIN bids B
    ON A.id = B.auction AND B.ts BETWEEN A.ts AND A.ts + INTERVAL '0.1' SECOND AND B.ts <= A.expires
  )
  GROUP BY auction, category, SESSION(ts, INTERVAL '0.101' SECOND)
)
GROUP BY category
