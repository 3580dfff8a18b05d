package io.despina.spark.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.coordinator.Submission;
import io.despina.control.protocol.Json;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.Spooling;
import io.despina.descriptor.Checked;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The job that Spark's options ask for.
 *
 * @param graph   path of its file
 * @param left    slots that it leaves to Spark's own tasks, in executors
 * @param options as JSON, without a deployment of {@link JobHost}'s
 */
public record JobRequest(String graph, JobHost host, int left, String options) {
    private static final String PARAMETER = "parameter.";

    /** @throws Refusal in words for the user */
    public static JobRequest of(CaseInsensitiveStringMap options, int left) throws Refusal {
        ObjectNode job = Json.object();
        ObjectNode parameters = job.putObject("parameters");
        options.asCaseSensitiveMap().forEach((name, value) -> {
            if (isParameter(name)) {
                parameters.put(name.substring(PARAMETER.length()), value);
            }
        });
        String deployment = options.get("deployment");
        if (deployment != null) {
            job.put("deployment_file", deployment).put("deployment_text", text(deployment, "deployment"));
        }
        Map.of("secretFile", "secret_file", "tls", "tls", "listen", "listen").forEach((option, name) -> {
            if (options.containsKey(option)) {
                job.put(name, options.get(option));
            }
        });
        String graph = options.get("graph");
        if (graph == null || graph.isBlank()) {
            throw new Refusal("option", "format(\"despina\") needs option(\"graph\", …): the path of a graph file", null);
        }
        JobRequest request = new JobRequest(graph, host(options), left, Json.text(job));
        JobOptions.parse(request.options);     // refused here if it is at all
        return request;
    }

    public static boolean isParameter(String option) {
        return option.regionMatches(true, 0, PARAMETER, 0, PARAMETER.length());
    }

    private static JobHost host(CaseInsensitiveStringMap options) throws Refusal {
        String word = options.getOrDefault("on", "driver");
        return switch (word) {
            case "driver" -> JobHost.DRIVER;
            case "executors" -> JobHost.EXECUTORS;
            default -> throw new Refusal("option", "on=" + word + " is not known", "driver or executors");
        };
    }

    private static String text(String path, String what) throws Refusal {
        try {
            return Files.readString(Path.of(path), StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw new Refusal("file_missing", "no " + what + " file at " + path,
                    "relative paths are of the driver's folder, " + System.getProperty("user.dir"));
        } catch (IOException e) {
            throw new Refusal("file_unreadable", "the " + what + " file " + path + " cannot be read: " + e.getMessage(), null);
        }
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
        return new Submission(text(graph, "graph"), graph, JobOptions.parse(at == null ? options : at.options()).with(spooling));
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
