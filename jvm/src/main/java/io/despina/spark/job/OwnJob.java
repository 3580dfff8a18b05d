package io.despina.spark.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.coordinator.Coordinator;
import io.despina.control.coordinator.Submission;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.Spooling;
import io.despina.control.visit.JobAddress;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/** A job that the driver has started for one query, batch or table. */
public final class OwnJob implements AutoCloseable {
    private final JobRequest request;
    private final Coordinator coordinator;
    private String job;

    private OwnJob(JobRequest request, Coordinator coordinator) {
        this.request = request;
        this.coordinator = coordinator;
    }

    /**
     * @param spooling null if Spark reads no rows of it
     * @throws IllegalArgumentException if the graph is refused
     */
    public static OwnJob start(JobRequest request, Spooling spooling) throws Refusal {
        JobHost.Hosted hosted = request.hosted();
        OwnJob own = new OwnJob(request, hosted.coordinator());
        boolean runs = false;
        try {
            Submission submission = request.submission(hosted, spooling);
            ObjectNode answer = own.coordinator.run(submission);
            if (!answer.has("job")) {
                GivenOptions.planned(submission);
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

    public JobAddress address() throws Refusal {
        return coordinator.address(job);
    }

    /** @throws IllegalStateException if the job has failed */
    public void refuseFailed() {
        Refusal why;
        try {
            why = coordinator.failure(job);
        } catch (Refusal unknown) {
            throw new IllegalStateException(unknown.render(), unknown);
        }
        if (why != null) {
            throw failed(why);
        }
    }

    private IllegalStateException failed(Refusal why) {
        return new IllegalStateException("the job of " + request.graph() + " has failed: " + why.render());
    }

    /** Calls it with the reason if the job fails. */
    public void onFailure(Consumer<String> told) throws Refusal {
        coordinator.ended(job).thenRunAsync(() -> {
            try {
                refuseFailed();
            } catch (IllegalStateException why) {
                told.accept(why.getMessage());
            }
        });
    }

    /**
     * Its query has ended. One that keeps a state stops, and goes on with the query's next run; of another one the input ends.
     *
     * @throws IllegalStateException if it has failed
     */
    public void leave(String operator) throws Refusal {
        if (request.keepsState()) {
            finish(() -> coordinator.stop(job, Message.Stop.DRAIN));
        } else {
            finish(operator);
        }
    }

    /**
     * Ends the input of a source, and waits until the job has ended.
     *
     * @throws IllegalStateException if it has failed
     */
    public void finish(String operator) {
        finish(() -> coordinator.endFeed(job, operator, ""));
    }

    private interface Ending {
        void begin() throws Refusal;
    }

    private void finish(Ending ending) {
        try {
            ending.begin();
            coordinator.ended(job).get();
            refuseFailed();
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
