package io.despina.spark.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.coordinator.Submission;
import io.despina.control.protocol.Json;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.Spooling;
import io.despina.descriptor.Checked;
import java.util.List;
import java.util.Map;

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
            GivenOptions.PARAMETER);

    /** @throws Refusal in words for the user */
    public static JobRequest of(GivenOptions options) throws Refusal {
        ObjectNode job = Json.object();
        ObjectNode parameters = job.putObject("parameters");
        options.given().asCaseSensitiveMap().forEach((name, value) -> {
            if (GivenOptions.isParameter(name)) {
                parameters.put(name.substring(GivenOptions.PARAMETER.length()), value);
            }
        });
        String deployment = options.given().get("deployment");
        if (deployment != null) {
            job.put("deployment_file", deployment).put("deployment_text", GivenOptions.text(deployment, "deployment"));
        }
        Map.of("secretFile", "secret_file", "tls", "tls", "listen", "listen").forEach((option, name) -> {
            if (options.given().containsKey(option)) {
                job.put(name, options.given().get(option));
            }
        });
        int left = (int) Math.min(options.number("slotsLeft", 1), Integer.MAX_VALUE);
        JobRequest request = new JobRequest(options.needed("graph", "the path of a graph file"), host(options), left,
                Json.text(job));
        JobOptions.parse(request.options);     // refused here if it is at all
        return request;
    }

    private static JobHost host(GivenOptions options) throws Refusal {
        String word = options.given().getOrDefault("on", "driver");
        return switch (word) {
            case "driver" -> JobHost.DRIVER;
            case "executors" -> JobHost.EXECUTORS;
            default -> throw new Refusal("option", "on=" + word + " is not known", "driver or executors");
        };
    }

    public JobHost.Hosted hosted() throws Refusal {
        return host.host(options, left);
    }

    /** Folder of the files for TLS; null for none. */
    public String tls() throws Refusal {
        return JobOptions.parse(options).tls();
    }

    /**
     * The job, with rows that are spooled.
     *
     * @param at where it runs; null only to plan it
     */
    public Submission submission(JobHost.Hosted at, Spooling spooling) throws Refusal {
        return new Submission(GivenOptions.text(graph, "graph"), graph,
                JobOptions.parse(at == null ? options : at.options()).with(spooling));
    }

    /** @throws IllegalArgumentException with the diagnostics of {@code despina check} if the graph is refused */
    public static JobPlan planned(Submission submission) {
        Checked<JobPlan> checked = JobPlan.of(submission.graphText(), submission.fileName(), submission.options());
        if (!checked.ok()) {
            throw new IllegalArgumentException(checked.render());
        }
        return checked.value();
    }
}
