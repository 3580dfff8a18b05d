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
     * @param resources those that are to be started
     * @return starts them, each once
     * @throws Refusal there are too few slots; says how many, and which setting gives more
     */
    Starter room(Attempt attempt, List<Deployment.Resource> resources) throws Refusal;

    /** The coordinator is closed, and starts none any more. */
    void close();

    /** The address of this machine at which the coordinator awaits them. */
    String listen();

    /** The coordinator's host as executors know it. */
    String reached();
}
