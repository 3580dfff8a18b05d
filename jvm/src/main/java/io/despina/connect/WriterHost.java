package io.despina.connect;

/** What the engine offers to a writer. */
public interface WriterHost {

    /** The operator's id in the graph. */
    String operator();

    /** This instance of the sink, from 0. */
    int instance();

    int parallelism();

    /**
     * The server does not take a record, and never will: it goes to {@code on_error}. Any thread may call this.
     *
     * @param value of the record, for the message
     */
    void refused(String why, byte[] value);

    /** Whether such a record fails the job: then no transaction that leaves it out may be committed. */
    boolean failsOnRefused();

    /** Warns the user with a line on standard error. For rare events. Any thread may call this. */
    void warn(String what);
}
