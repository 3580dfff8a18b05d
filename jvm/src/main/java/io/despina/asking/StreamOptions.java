package io.despina.asking;

/**
 * One long answer that a source takes as it comes.
 *
 * @param events      whether it is a stream of server-sent events; else records are lines
 * @param id          what tells lines apart; null if nothing does
 * @param stallMillis when nothing has come for so long, it connects again
 * @param recordBytes of one record; what is behind them in it is left out
 * @param ends        whether it ends with the answer
 */
public record StreamOptions(AskedServer server, boolean events, LineId id, long stallMillis, int recordBytes, boolean ends) {

    /**
     * What tells lines of json apart.
     *
     * @param column    the member that does
     * @param parameter of the URL's query that gets the last one when it connects again; null if the server cannot be asked so
     */
    public record LineId(String column, String parameter) {
    }
}
