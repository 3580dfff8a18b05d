SELECT B.ts AS ts, B.auction AS auction, B.bidder AS bidder, B.price AS price, B.channel AS channel, A.item AS item,
  A.reserve AS reserve, A.expires AS expires, A.seller AS seller
FROM bids B JOIN auctions A ON B.auction = A.id
WHERE A.category = 10
