package io.despina.spark.sink;

import io.despina.control.assembly.JobPlan;
import io.despina.control.coordinator.Submission;
import io.despina.control.protocol.Refusal;
import io.despina.control.visit.JobAddress;
import io.despina.plan.PlannedOperator;
import io.despina.spark.job.GivenOptions;
import io.despina.spark.job.JobRequest;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * What {@code option(…)} says:
 * <pre>
 * job                  path of a job file, which says where a running job is: despina run --job-file, or job.file(path) in Python
 * graph                in its place: path of a graph file, whose job starts with the query or batch, and ends with it
 * input                id of the spark_source; the only one if it is left out
 * onRestart            of a query that goes on from a checkpoint, for a job that has not had the epochs before: refuse (default),
 *                      or skip: rows of those epochs are missing in this job
 * service, tokenFile   with job, which then is the name of a job of that service, as for reading
 * secretFile, tls      with job, in place of those that the job file names, which are of its machine
 * parameter.NAME, deployment, secretFile, tls, listen, on, slotsLeft
 *                      with graph, as for reading
 * </pre>
 *
 * @param name  of the job file, or the graph
 * @param job   null with a graph
 * @param graph null with a job
 * @param input empty for the only one
 */
record SinkOptions(String name, JobAddress job, JobRequest graph, String input, boolean skips) {
    /** What Spark itself adds to the options of a query. */
    private static final List<String> OF_SPARK = List.of("checkpointLocation", "queryName");
    private static final List<String> OF_JOB = List.of("job", "input", "service", "tokenFile", "onRestart", "secretFile", "tls");
    private static final List<String> OF_GRAPH = Stream.concat(JobRequest.NAMES.stream(), Stream.of("input", "onRestart"))
            .toList();

    /** Whether the options say where rows are written to; whoever reads names an output. */
    static boolean areIn(CaseInsensitiveStringMap given) {
        return !given.containsKey("output") && (given.containsKey("job") || given.containsKey("input")
                || given.containsKey("graph") && GivenOptions.graph(given.get("graph")).contains("\"spark_source\""));
    }

    /** @throws IllegalArgumentException in words for the user */
    static SinkOptions of(CaseInsensitiveStringMap given) {
        GivenOptions options = new GivenOptions(given);
        try {
            boolean starts = given.containsKey("graph") && !given.containsKey("job");
            options.refuseUnknown(starts ? OF_GRAPH : OF_JOB, starts ? OF_JOB : OF_GRAPH, OF_SPARK);
            String name = options.needed(starts ? "graph" : "job", "the path of a job file, or graph, that of a graph file");
            return new SinkOptions(name, starts ? null : options.address(), starts ? JobRequest.of(options) : null,
                    given.getOrDefault("input", ""), options.says("onRestart", "refuse", "skip"));
        } catch (Refusal e) {
            throw GivenOptions.refused(e);
        }
    }

    /**
     * The source of a graph, whose input ends with the query: so it must be the graph's only source.
     *
     * @throws IllegalArgumentException if the graph is refused, or has no such source
     */
    PlannedOperator planned() {
        JobPlan planned = GivenOptions.planned(submission());
        List<PlannedOperator> all = planned.given();
        PlannedOperator found = all.stream().filter(each -> input.isEmpty() || each.id().equals(input)).findFirst().orElse(null);
        long sources = planned.plan().operators().stream().filter(each -> each.inputs().isEmpty()).count();
        if (found == null) {
            throw GivenOptions.refused(new Refusal("operator",
                    "the graph " + name + " has no spark_source `" + input + "`",
                    all.isEmpty() ? null : "there are: " + String.join(", ", all.stream().map(PlannedOperator::id).toList())));
        }
        if (sources > 1) {
            throw GivenOptions.refused(new Refusal("operator", "the graph " + name + " has other sources than `"
                    + found.id() + "`, which would not end with the query",
                    "despina run it with --job-file, and give that by option(\"job\", path)"));
        }
        return found;
    }

    private Submission submission() {
        try {
            return graph.submission(null, null);
        } catch (Refusal e) {
            throw GivenOptions.refused(e);
        }
    }

    /** In Spark's plans and reports. */
    @Override
    public String toString() {
        return "despina " + name + (input.isEmpty() ? "" : " " + input);
    }
}
