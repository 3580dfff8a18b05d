SELECT b.ts, b.auction, b.bidder, b.price
FROM bids b JOIN (
  SELECT window(ts, '10 seconds') AS w, max(price) AS price FROM bids GROUP BY window(ts, '10 seconds')
) m ON b.price = m.price AND b.ts >= m.w.start AND b.ts < m.w.end
