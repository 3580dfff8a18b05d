SELECT a.id AS auction, a.seller, max_by(b.bidder, struct(b.price, -b.number)) AS bidder, max(b.price) AS price
FROM auctions a JOIN bids b ON a.id = b.auction AND b.ts BETWEEN a.ts AND a.ts + INTERVAL '100' MILLISECOND AND b.ts <= a.expires
GROUP BY a.id, a.seller, window(a.ts, '1 day')
