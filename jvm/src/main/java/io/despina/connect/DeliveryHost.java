package io.despina.connect;

/** What the engine offers to an {@link AcknowledgingReader}. */
public interface DeliveryHost extends SourceHost {

    /**
     * A name for the server, by which it knows this instance again: letters, digits, dots, _ and -. It stays over all attempts of
     * a job that keeps its state; another job has another one.
     */
    String name();

    /** Whether the job keeps its state. If not, nobody comes back under {@link #name}. */
    boolean isKept();

    /** Nothing more comes, from any thread: the source ends when what was given is read. */
    void ended();

    /** Gives a record, from any thread. Also without room what has been read already may be given. */
    void put(Delivery delivery);
}
