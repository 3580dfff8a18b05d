SELECT A.ts AS ts, P.name AS name, P.city AS city, P.state AS state, A.id AS auction
FROM auctions A JOIN persons P ON A.seller = P.id
WHERE A.category = 10 AND (P.state = 'OR' OR P.state = 'ID' OR P.state = 'CA')
