SELECT b.ts, b.auction, b.bidder, b.price, b.channel, a.item, a.reserve, a.expires, a.seller
FROM bids b JOIN auctions a ON b.auction = a.id
WHERE a.category = 10
