package io.despina.spark.sink;

import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.coordinator.JobAddress;
import io.despina.control.coordinator.Submission;
import io.despina.control.protocol.Refusal;
import io.despina.packet.Schema;
import io.despina.plan.PlannedOperator;
import io.despina.spark.job.GivenOptions;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * What {@code option(…)} says:
 * <pre>
 * job                  path of a job file, which says where a running job is: despina run --job-file, or job.file(path) in Python
 * graph                in its place: path of a graph file, whose job starts in the driver with the query or batch, and ends with
 *                      it
 * input                id of the spark_source; the only one if it is left out
 * onRestart            of a query that goes on from a checkpoint, for a job that has not had the epochs before: refuse (default),
 *                      or skip: rows of those epochs are missing in this job
 * secretFile, tls      with job, in place of those that the job file names, which are of its machine
 * parameter.NAME, deployment, secretFile, tls, listen
 *                      with graph, as for reading
 * </pre>
 *
 * @param job    path; null with a graph
 * @param graph  null with a job
 * @param input  empty for the only one
 */
record SinkOptions(String job, Submission graph, String input, boolean skips, String secretFile, String tls) {
    /** What Spark itself adds to the options of a query. */
    private static final List<String> OF_SPARK = List.of("checkpointLocation", "queryName");
    private static final List<String> OF_JOB = List.of("job", "input", "onRestart", "secretFile", "tls");
    private static final List<String> OF_GRAPH = List.of("graph", "input", "onRestart", "secretFile", "tls", "deployment",
            "listen", GivenOptions.PARAMETER);

    /** Whether the options say where rows are written to; whoever reads a graph says what of it. */
    static boolean areIn(CaseInsensitiveStringMap given) {
        return given.containsKey("job") || given.containsKey("input")
                || given.containsKey("graph") && !given.containsKey("output")
                && GivenOptions.graph(given.get("graph")).contains("\"spark_source\"");
    }

    /** @throws IllegalArgumentException in words for the user */
    static SinkOptions of(CaseInsensitiveStringMap given) {
        GivenOptions options = new GivenOptions(given);
        try {
            boolean starts = given.containsKey("graph") && !given.containsKey("job");
            options.refuseUnknown(starts ? OF_GRAPH : OF_JOB, OF_SPARK);
            String path = options.needed(starts ? "graph" : "job", "the path of a job file, or graph, that of a graph file");
            Submission graph = !starts ? null
                    : new Submission(GivenOptions.graph(path), path, JobOptions.parse(options.job(listen())));
            return new SinkOptions(starts ? null : path, graph, given.getOrDefault("input", ""), options.restartsWith("skip"),
                    given.get("secretFile"), given.get("tls"));
        } catch (Refusal e) {
            throw GivenOptions.refused(e);
        }
    }

    /** Where Spark's tasks reach the driver; null if they are in it. */
    private static String listen() {
        SparkContext spark = SparkContext.getOrCreate();
        return spark.isLocal() ? null : spark.conf().get("spark.driver.host");
    }

    /** Of a job that runs elsewhere. */
    JobAddress address() throws Refusal {
        JobAddress written = JobAddress.parse(GivenOptions.text(job, "job"));
        return new JobAddress(written.host(), written.port(), written.job(), secretFile == null ? written.secret() : null,
                secretFile == null ? written.secretFile() : secretFile, tls == null ? written.tls() : tls);
    }

    /**
     * The columns of the source of a graph, whose input ends with the query: so it must be the graph's only source.
     *
     * @throws IllegalArgumentException if the graph is refused, or has no such source
     */
    Schema planned() {
        JobPlan planned = GivenOptions.planned(graph);
        List<PlannedOperator> all = planned.given();
        PlannedOperator found = all.stream().filter(each -> input.isEmpty() || each.id().equals(input)).findFirst().orElse(null);
        long sources = planned.plan().operators().stream().filter(each -> each.inputs().isEmpty()).count();
        if (found == null) {
            throw GivenOptions.refused(new Refusal("operator",
                    "the graph " + graph.fileName() + " has no spark_source `" + input + "`",
                    all.isEmpty() ? null : "there are: " + String.join(", ", all.stream().map(PlannedOperator::id).toList())));
        }
        if (sources > 1) {
            throw GivenOptions.refused(new Refusal("operator", "the graph " + graph.fileName() + " has other sources than `"
                    + found.id() + "`, which would not end with the query",
                    "despina run it with --job-file, and give that by option(\"job\", path)"));
        }
        return found.outputs().get(0).schema();
    }

    /** In Spark's plans and reports. */
    @Override
    public String toString() {
        return "despina " + (job == null ? graph.fileName() : job) + (input.isEmpty() ? "" : " " + input);
    }
}
