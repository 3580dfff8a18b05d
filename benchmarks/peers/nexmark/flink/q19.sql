SELECT auction, bidder, price, `number`
FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC) AS place FROM bids)
WHERE place <= 10
