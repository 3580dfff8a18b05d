package io.despina.connect;

/** What the engine offers to every reader. All but the first three calls may come from any thread. */
public interface SourceHost {

    /** The operator's id in the graph. */
    String operator();

    /** This instance of the source, from 0. */
    int instance();

    int parallelism();

    /** Whether more may be read: what waits for the graph is bounded. */
    boolean hasRoom();

    /** @param resume run once, from any thread, as soon as there is room; it returns at once */
    void whenRoom(Runnable resume);

    /** The reader cannot go on: the job fails with that, and its next attempt opens another reader. */
    void failed(Exception why);

    /** Warns the user with a line on standard error. For rare events. */
    void warn(String what);
}
