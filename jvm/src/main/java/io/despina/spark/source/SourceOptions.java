package io.despina.spark.source;

import io.despina.control.protocol.ProgramMessage;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.Spooling;
import io.despina.control.visit.JobAddress;
import io.despina.control.visit.RequestWire;
import io.despina.descriptor.Ddl;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.packet.Schema;
import io.despina.spark.job.GivenOptions;
import io.despina.spark.job.JobRequest;
import io.despina.wire.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * What {@code option(…)} says:
 * <pre>
 * graph                path of the graph file, whose job starts with the query
 * job                  in its place: path of the job file of a running job, which keeps rows for readers: despina run --spool
 * service, tokenFile   address of a service, of which {@code job} is then a job's name, and the file with a token for it; the
 *                      driver's environment has the token if no file is named
 * output               id of the sink whose rows are read; with graph, other sinks drop what they get
 * parameter.NAME       value of a parameter of the graph
 * deployment           path of a deployment file; without one the driver's JVM is the resource
 * secretFile, tls,
 * listen               as {@code despina run} has them, for a deployment
 * on                   {@code driver} (default) or {@code executors}: whose JVMs are the resources without a deployment
 * slotsLeft            how many task slots resources in executors leave to Spark's own tasks (1)
 * state, epochMs       folder or address in which the job keeps its state, and the time from one epoch to the next (1000):
 *                      a query that goes on from its checkpoint goes on from there
 * spoolDirectory       where resources keep rows that Spark has not taken (their folder of temporary files)
 * spoolBytes           how many of them, per instance of the output, before the job waits for Spark (1 GiB); of a batch read,
 *                      which keeps all rows, there is no limit
 * maxRowsPerTrigger    of a stream, in one micro-batch
 * maxBytesPerTrigger   of a stream, in one micro-batch, to within 64 KB for each instance (a quarter of spoolBytes, so that
 *                      the job goes on while Spark works)
 * delivery             of a job with {@code state}: {@code by_epoch} (default) shows rows when their epoch is complete,
 *                      {@code at_least_once} at once, and perhaps again after a loss
 * onRestart            of a stream that goes on from a checkpoint: {@code refuse} (default), or {@code begin}: the graph starts
 *                      again from its beginning, and rows that Spark has had before may come again
 * readers              with {@code job}: how many queries of this driver read the output (1); rows are kept until all have had
 *                      them
 * onEnd                of a stream whose job has ended and whose rows are all read: {@code wait} (default), or {@code stop} the
 *                      query
 * </pre>
 * With {@code job}, the job itself says where and how many rows are kept; {@code secretFile} and {@code tls} then take the place
 * of what the job file says.
 *
 * @param name   of the graph, or the job file
 * @param job    null with a graph
 * @param graph  null with a job
 * @param output id of the sink
 * @param atOnce whether Spark sees rows of a job with a state before their epoch is complete
 */
record SourceOptions(String name, JobAddress job, JobRequest graph, String output, Limits limits, boolean atOnce,
        boolean beginsAgain, boolean stopsAtEnd) {
    private static final long SPOOL_BYTES = 1L << 30;
    /** Of a full spool, that a micro-batch takes one of. */
    private static final int PARTS = 4;
    private static final List<String> NAMES = Stream.concat(JobRequest.NAMES.stream(), Stream.of("output", "spoolDirectory",
            "spoolBytes", "maxRowsPerTrigger", "maxBytesPerTrigger", "delivery", "onRestart", "onEnd")).toList();
    private static final List<String> OF_JOB = List.of("job", "output", "service", "tokenFile", "secretFile", "tls",
            "maxRowsPerTrigger", "maxBytesPerTrigger", "onRestart", "onEnd", "readers");

    /**
     * How rows are kept and read.
     *
     * @param folder  null for the resource's own
     * @param kept    bytes on disk of an instance
     * @param rows    of a micro-batch; 0 for any number
     * @param bytes   of a micro-batch
     * @param readers queries of this driver that read the output
     */
    record Limits(String folder, long kept, long rows, long bytes, int readers) {
    }

    /** @throws IllegalArgumentException in words for the user */
    static SourceOptions of(CaseInsensitiveStringMap given) {
        GivenOptions options = new GivenOptions(given);
        try {
            boolean finds = given.containsKey("job");
            options.refuseUnknown(finds ? OF_JOB : NAMES, finds ? NAMES : OF_JOB, List.of());
            long kept = options.number("spoolBytes", SPOOL_BYTES);
            Limits limits = new Limits(given.get("spoolDirectory"), kept, options.number("maxRowsPerTrigger", 0),
                    options.number("maxBytesPerTrigger", Math.max(1, kept / PARTS)),
                    (int) Math.min(options.number("readers", 1), Integer.MAX_VALUE));
            return new SourceOptions(given.get(finds ? "job" : "graph"), finds ? options.address() : null,
                    finds ? null : JobRequest.of(options), options.needed("output", "the id of a sink of the graph"), limits,
                    Spooling.atOnce(given.get("delivery"), given.containsKey("state")),
                    options.says("onRestart", "refuse", "begin"), options.says("onEnd", "wait", "stop"));
        } catch (Refusal e) {
            throw GivenOptions.refused(e);
        }
    }

    /** In Spark's plans and reports. */
    @Override
    public String toString() {
        return "despina " + name + " " + output;
    }

    /** Of a job that starts with the query. */
    Spooling spooling(String run, boolean toItsEnd, boolean keepsAll) {
        return new Spooling(List.of(output), run, toItsEnd, true, limits.folder(), keepsAll ? Long.MAX_VALUE : limits.kept(),
                false, atOnce);
    }

    /** The rows' schema: the job says it, or planning the graph. */
    StructType schema() {
        return SparkTypes.struct(packets());
    }

    Schema packets() {
        try {
            return graph == null ? asked() : GivenOptions.planned(graph.submission(null, spooling("", false, false))).plan()
                    .operator(output).inputs().get(0).schema();
        } catch (Refusal e) {
            throw GivenOptions.refused(e);
        }
    }

    private Schema asked() throws Refusal {
        try (Wire wire = RequestWire.open(job.job(), job.known(), job.tls())) {
            return Ddl.parse(job.locate(wire, ProgramMessage.Located.OUT, output).schema());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("stopped", e);
        } catch (Ddl.DdlException e) {
            throw new IllegalStateException("a job says its schema in DDL", e);
        }
    }
}
