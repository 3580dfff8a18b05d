SELECT `number` FROM events WHERE kind > 2
