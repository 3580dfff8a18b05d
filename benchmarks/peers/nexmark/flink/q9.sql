SELECT auction, seller, bidder, price
FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC, `number` ASC) AS place
  FROM (
    SELECT A.id AS auction, A.seller AS seller, B.bidder AS bidder, B.price AS price, B.`number` AS `number`
    FROM auctions A JOIN bids B
    ON A.id = B.auction AND B.ts BETWEEN A.ts AND A.ts + INTERVAL '0.1' SECOND AND B.ts <= A.expires
  )
)
WHERE place <= 1
