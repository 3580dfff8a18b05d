SELECT last.number, last.ts, auction, bidder, last.price, last.channel
FROM (
  SELECT bidder, auction, max_by(struct(number, ts, price, channel), number) AS last
  FROM bids GROUP BY bidder, auction, window(ts, '1 day')
)
