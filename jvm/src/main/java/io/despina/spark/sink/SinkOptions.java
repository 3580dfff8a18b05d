package io.despina.spark.sink;

import io.despina.control.coordinator.JobAddress;
import io.despina.control.protocol.Refusal;
import io.despina.spark.job.GivenOptions;
import java.util.List;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * What {@code option(…)} says:
 * <pre>
 * job                  path of a job file, which says where the job is: despina run --job-file, or job.file(path) in Python
 * input                id of the spark_source; the only one if it is left out
 * onRestart            of a query that goes on from a checkpoint, for a job that has not had the epochs before: refuse (default),
 *                      or skip: rows of those epochs are missing in this job
 * secretFile, tls      in place of those that the job file names, which are of its machine
 * </pre>
 *
 * @param input empty for the only one
 */
record SinkOptions(String job, String input, boolean skips, String secretFile, String tls) {
    /** What Spark itself adds to the options of a query. */
    private static final List<String> OF_SPARK = List.of("checkpointLocation", "queryName");
    private static final List<String> NAMES = List.of("job", "input", "onRestart", "secretFile", "tls");

    /** @throws IllegalArgumentException in words for the user */
    static SinkOptions of(CaseInsensitiveStringMap given) {
        GivenOptions options = new GivenOptions(given);
        try {
            options.refuseUnknown(NAMES, OF_SPARK);
            return new SinkOptions(options.needed("job", "the path of a job file"), given.getOrDefault("input", ""),
                    options.restartsWith("skip"), given.get("secretFile"), given.get("tls"));
        } catch (Refusal e) {
            throw GivenOptions.refused(e);
        }
    }

    JobAddress address() throws Refusal {
        JobAddress written = JobAddress.parse(GivenOptions.text(job, "job"));
        return new JobAddress(written.host(), written.port(), written.job(), secretFile == null ? written.secret() : null,
                secretFile == null ? written.secretFile() : secretFile, tls == null ? written.tls() : tls);
    }

    /** In Spark's plans and reports. */
    @Override
    public String toString() {
        return "despina " + job + (input.isEmpty() ? "" : " " + input);
    }
}
