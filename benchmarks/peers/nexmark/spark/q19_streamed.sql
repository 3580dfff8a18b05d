SELECT auction, bid.bidder, bid.price, bid.number
FROM (
  SELECT auction, explode(max_by(struct(bidder, price, number), struct(price, -number), 10)) AS bid
  FROM bids GROUP BY auction, window(ts, '1 day')
)
