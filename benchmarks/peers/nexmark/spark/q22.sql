SELECT auction, bidder, price, channel, split_part(url, '/', 4) AS dir1, split_part(url, '/', 5) AS dir2,
  split_part(url, '/', 6) AS dir3
FROM (
  SELECT auction, bidder, price, channel, concat('https://www.nexmark.com/', channel, '/item/', auction % 1000) AS url FROM bids
)
