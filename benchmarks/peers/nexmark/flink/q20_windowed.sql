SELECT B.ts AS ts, B.auction AS auction, B.bidder AS bidder, B.price AS price, B.channel AS channel, A.item AS item,
  A.reserve AS reserve, A.expires AS expires, A.seller AS seller
FROM bids B JOIN auctions A ON B.auction = A.id AND A.ts BETWEEN B.ts - INTERVAL '1' SECOND AND B.ts
WHERE A.category = 10
