package io.despina.spark.sink;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.coordinator.Coordinator;
import io.despina.control.coordinator.JobAddress;
import io.despina.control.coordinator.Submission;
import io.despina.control.protocol.Refusal;
import io.despina.spark.job.GivenOptions;
import java.util.concurrent.ExecutionException;

/** A job that the driver has started for one query or batch. */
final class OwnJob implements AutoCloseable {
    private final Coordinator coordinator;
    private final Submission graph;
    private String job;

    private OwnJob(Submission graph, Coordinator coordinator) {
        this.graph = graph;
        this.coordinator = coordinator;
    }

    /** @throws IllegalArgumentException if the graph is refused */
    static OwnJob start(Submission graph) throws Refusal {
        OwnJob own = new OwnJob(graph, new Coordinator());
        boolean runs = false;
        try {
            ObjectNode answer = own.coordinator.run(graph);
            if (!answer.has("job")) {
                GivenOptions.planned(graph);
                throw new Refusal("graph", "the graph is refused: " + answer, null);
            }
            own.job = answer.get("job").asText();
            runs = true;
        } finally {
            if (!runs) {
                own.close();
            }
        }
        return own;
    }

    JobAddress address() throws Refusal {
        return coordinator.address(job);
    }

    /**
     * Ends the input, and waits until the job has ended.
     *
     * @throws IllegalStateException if it has failed
     */
    void finish(String operator) {
        try {
            coordinator.endFeed(job, operator, "");
            coordinator.ended(job).get();
            Refusal failure = coordinator.failure(job);
            if (failure != null) {
                throw new IllegalStateException("the job of " + graph.fileName() + " has failed: " + failure.render());
            }
        } catch (Refusal e) {
            throw new IllegalStateException(e.render(), e);
        } catch (ExecutionException e) {
            throw new AssertionError("it completes in any case", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("stopped", e);
        }
    }

    /** Ends it at once, if it has not ended. */
    @Override
    public void close() {
        coordinator.close();
    }
}
