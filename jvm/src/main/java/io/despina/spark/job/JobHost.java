package io.despina.spark.job;

import io.despina.control.coordinator.Coordinator;
import io.despina.control.protocol.Refusal;
import io.despina.spark.executor.SparkExecutors;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** Where the jobs run that Spark reads of or writes to. */
public enum JobHost {
    /** The driver's JVM, or what the deployment names. */
    DRIVER {
        @Override
        public Hosted host(String graphText, String optionsJson, int left) {
            return new Hosted(new Coordinator(), optionsJson);
        }
    },
    /** Executors of the application, beside the tasks that read. */
    EXECUTORS {
        @Override
        public Hosted host(String graphText, String optionsJson, int left) throws Refusal {
            CompletableFuture<Coordinator> made = new CompletableFuture<>();
            Thread atEnd = new Thread(() -> made.thenAccept(Coordinator::close), "despina-end");
            SparkExecutors executors = SparkExecutors.ofThisDriver(jar(), left, atEnd::start);
            made.complete(Coordinator.on(executors));
            try {
                return new Hosted(made.join(), executors.deployed(graphText, optionsJson));
            } catch (Refusal why) {
                made.join().close();
                throw why;
            }
        }
    };

    /**
     * A place for one job.
     *
     * @param coordinator closed with the job
     * @param options     of the job, with a deployment if the place has one
     */
    public record Hosted(Coordinator coordinator, String options) {
    }

    /**
     * A coordinator of one job.
     *
     * @param optionsJson of the job
     * @param left        slots of executors that the job leaves to the application's own tasks
     * @throws Refusal executors have no room
     */
    public abstract Hosted host(String graphText, String optionsJson, int left) throws Refusal;

    /** The engine's jar, from which this class came. */
    private static String jar() {
        try {
            return Path.of(JobHost.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
