SELECT auction, bidder, price, number
FROM (SELECT *, row_number() OVER (PARTITION BY auction ORDER BY price DESC, number) AS place FROM bids)
WHERE place <= 10
