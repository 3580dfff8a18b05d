package io.despina.operator.lookup;

import io.despina.operator.OperatorContext;
import io.despina.packet.Packet;
import java.io.Closeable;
import java.sql.SQLException;

/** What a {@link Lookup} looks up in; each instance has its own. */
public interface Table extends Closeable {

    void open(OperatorContext context) throws Exception;

    /** Called between packets, so that a table may change. */
    void refresh() throws Exception;

    /**
     * The rows of a key without NULL, until the next call of {@link #refresh} or this method.
     *
     * @throws SQLException if a database did not answer
     */
    FoundRows find(Packet key) throws SQLException, InterruptedException;

    /** Forgets what it knows from earlier questions. Called between packets, as {@link #reload}. @return in words what it did */
    default String forget() {
        return "";
    }

    /** Reads anew what it has read. @return in words what it did */
    default String reload() throws Exception {
        return "";
    }

    /** Memory held. */
    long bytes();
}
