package io.despina.connect;

/** A record on its way to a server. Its bytes are the writer's own. */
public interface Outgoing {

    /**
     * The number of its row among those since {@link RecordWriter#begin}, from 0; rows that became no record count too. It is the
     * same when an epoch comes again.
     */
    long number();

    /** Where it is sent to, of what the graph says in each row: a topic, say. Null where the graph says it once. */
    String target();

    /** Null for none. */
    byte[] key();

    /** Null for none. */
    byte[] value();

    /** Name (UTF-8), value or null, name, value, and so on; empty if there are none. */
    byte[][] pairs();
}
