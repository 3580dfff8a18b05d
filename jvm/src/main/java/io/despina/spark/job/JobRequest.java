package io.despina.spark.job;

import io.despina.control.assembly.JobOptions;
import io.despina.control.coordinator.Submission;
import io.despina.control.members.Environment;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.Spooling;
import java.util.List;
import org.apache.spark.SparkContext;

/**
 * The job that Spark's options ask for.
 *
 * @param graph   path of its file
 * @param left    slots that it leaves to Spark's own tasks, in executors
 * @param options as JSON, without a deployment of {@link JobHost}'s
 */
public record JobRequest(String graph, JobHost host, int left, String options) {
    /** Options of {@code format("despina")} that it reads. */
    public static final List<String> NAMES = List.of("graph", "deployment", "secretFile", "tls", "listen", "on", "slotsLeft",
            "state", "epochMs", GivenOptions.PARAMETERS);

    /** @throws Refusal in words for the user */
    public static JobRequest of(GivenOptions options) throws Refusal {
        int left = (int) Math.min(options.number("slotsLeft", 1), Integer.MAX_VALUE);
        JobHost host = host(options);
        JobRequest request = new JobRequest(options.needed("graph", "the path of a graph file"), host, left,
                options.job(host == JobHost.DRIVER ? reached() : null));
        JobOptions.parse(request.options, Environment.wallOfProcess());     // refused here if it is at all
        return request;
    }

    /** Where tasks of Spark's reach the driver; null if they are in it. */
    private static String reached() {
        SparkContext spark = SparkContext.getOrCreate();
        return spark.isLocal() ? null : spark.conf().get("spark.driver.host");
    }

    private static JobHost host(GivenOptions options) throws Refusal {
        String word = options.given().getOrDefault("on", "driver");
        return switch (word) {
            case "driver" -> JobHost.DRIVER;
            case "executors" -> JobHost.EXECUTORS;
            default -> throw new Refusal("option", "on=" + word + " is not known", "driver or executors");
        };
    }

    /** Whether the job goes on from where it was when it is started again. */
    boolean keepsState() throws Refusal {
        return JobOptions.parse(options, Environment.wallOfProcess()).recovery().isOn();
    }

    public JobHost.Hosted hosted() throws Refusal {
        return host.host(GivenOptions.text(graph, "graph"), options, left);
    }

    /**
     * @param at       where it runs; null only to plan it
     * @param spooling null if Spark reads no rows of it
     */
    public Submission submission(JobHost.Hosted at, Spooling spooling) throws Refusal {
        return new Submission(GivenOptions.text(graph, "graph"), graph,
                JobOptions.parse(at == null ? options : at.options(), Environment.wallOfProcess()).with(spooling));
    }
}
