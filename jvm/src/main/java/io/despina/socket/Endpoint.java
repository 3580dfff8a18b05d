package io.despina.socket;

import java.io.Closeable;
import java.io.IOException;

/** What brings bytes to a source: a listener, or a connection to one. */
public interface Endpoint extends Closeable {

    /** What it does, and its address, for the user: {@code listens on 127.0.0.1:7000}. */
    String description();

    /** Why nothing comes any more, ever; null while something may. */
    default IOException failure() {
        return null;
    }

    /** Takes nothing more in; connections stay open, so that answers still reach their peers. */
    void stop();

    @Override
    void close();
}
