SELECT `number`, ts, auction, bidder, price, channel
FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY bidder, auction ORDER BY ts DESC) AS place FROM bids)
WHERE place <= 1
