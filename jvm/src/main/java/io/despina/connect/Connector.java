package io.despina.connect;

import java.io.IOException;
import java.util.function.Consumer;

/** What a connector's jar offers. It is made once for a process, and makes readers and writers for any number of jobs. */
public interface Connector {

    /** What an operator does with its server. */
    enum Use {
        READ, WRITE,
        /** Rows of each epoch in a transaction, with its marker. */
        WRITE_EPOCHS
    }

    /**
     * A reader of one instance of a source. Connects to nothing yet.
     *
     * @param settings the fields of the operator
     */
    default PositionReader reader(ConnectorSettings settings, ReaderHost host) {
        throw new UnsupportedOperationException("this connector reads nothing");
    }

    /** The same, where the server forgets a record once it is acknowledged. */
    default AcknowledgingReader reader(ConnectorSettings settings, DeliveryHost host) {
        throw new UnsupportedOperationException("this connector reads nothing");
    }

    /** A writer of one instance of a sink. Connects to nothing yet. */
    default RecordWriter writer(ConnectorSettings settings, WriterHost host) {
        throw new UnsupportedOperationException("this connector writes nothing");
    }

    /**
     * A table of files. Looks at nothing yet.
     *
     * @param settings the fields of the operator, and {@code schema}: the columns that are written, as Spark's JSON
     * @param warn     tells the user
     */
    default LakeTable table(ConnectorSettings settings, Consumer<String> warn) {
        throw new UnsupportedOperationException("this connector has no tables");
    }

    /**
     * The versions of such a table. Looks at nothing yet.
     *
     * @param settings the fields of the operator, and {@code schema}: the columns that are read, as Spark's JSON
     */
    default LakeReader lake(ConnectorSettings settings) {
        throw new UnsupportedOperationException("this connector reads no tables");
    }

    /**
     * The columns that such a table has now, as Spark's JSON. Blocks.
     *
     * @param settings the fields of a source of it, without columns
     */
    default String columns(ConnectorSettings settings) throws IOException {
        throw new UnsupportedOperationException("this connector reads no tables");
    }

    /**
     * Tries whether an operator could do its work: the address, TLS, the login, that what it reads or writes is there, and its
     * rights. It changes nothing on the server and reads no record: it joins no group, leaves no session, begins no transaction,
     * and makes nothing. Blocks.
     *
     * @param settings the fields of the operator
     * @param millis   how long it may take
     * @return what was found, in words for the user; null if this connector cannot try it
     * @throws Exception what is wrong; the message names the field to look at, between backticks
     */
    default String probe(ConnectorSettings settings, Use use, long millis) throws Exception {
        return null;
    }

    /**
     * Looks for what an operator's instances have left at the server, or removes it: sessions, markers, open transactions. What
     * belongs to others too, as topics and groups that the graph names, stays. Blocks.
     *
     * @param settings the fields of the operator
     * @return what was found, or removed, in words for the user; null if this connector leaves nothing
     * @throws Exception what is wrong; the message names the field to look at, between backticks
     */
    default String leftovers(ConnectorSettings settings, Leftovers of) throws Exception {
        return null;
    }
}
