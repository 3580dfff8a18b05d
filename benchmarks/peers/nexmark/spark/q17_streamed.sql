SELECT auction, CAST(window.start AS DATE) AS day, count(*) AS bids, count_if(price < 10000) AS low,
  count_if(price >= 10000 AND price < 1000000) AS middle, count_if(price >= 1000000) AS high,
  min(price) AS least, max(price) AS most, avg(price) AS mean, sum(price) AS total
FROM bids
GROUP BY auction, window(ts, '1 day')
