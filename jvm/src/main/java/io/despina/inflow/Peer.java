package io.despina.inflow;

/** A program that sends to a source. */
public final class Peer {
    private final String name;
    private final Runnable closing;
    /** What the source keeps about it; its thread alone uses it. */
    private Object state;

    /** @param closing from any thread: ends the connection to it */
    public Peer(String name, Runnable closing) {
        this.name = name;
        this.closing = closing;
    }

    /** Its address and port, for messages. */
    public String name() {
        return name;
    }

    /** Closes the connection to it; from any thread. */
    public void close() {
        closing.run();
    }

    public Object state() {
        return state;
    }

    public void state(Object next) {
        state = next;
    }
}
