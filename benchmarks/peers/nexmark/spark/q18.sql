SELECT number, ts, auction, bidder, price, channel
FROM (SELECT *, row_number() OVER (PARTITION BY bidder, auction ORDER BY ts DESC, number DESC) AS place FROM bids)
WHERE place <= 1
