package io.despina.control.members;

import io.despina.control.protocol.Refusal;
import io.despina.link.Attempt;
import io.despina.placement.Deployment;
import java.util.List;

/** The executors of a Spark application, where resources can be started. Thread-safe. */
public interface Executors {

    /**
     * Makes sure that there is room. Takes as long as executors that were promised need to come up, and no time if none were.
     *
     * @param attempt   whose resources they are
     * @param waits     whether it waits for executors at all
     * @param resources those that are to be started
     * @return starts them, each once
     * @throws Refusal there are too few slots; says how many, and which setting gives more
     */
    Starter room(Attempt attempt, boolean waits, List<Deployment.Resource> resources) throws Refusal;

    /** Whether they are of this machine and find the answers of expression compilers that are kept here. */
    boolean areNear();

    /** What {@link #room}, or whoever asks which executors there are, waits for at this moment; empty for nothing. */
    String waitingFor();

    /** The coordinator is closed, and starts none any more. */
    void close();

    /** The address of this machine at which the coordinator awaits them. */
    String listen();

    /** The coordinator's host as executors know it. */
    String reached();
}
