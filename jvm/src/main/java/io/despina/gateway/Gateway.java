package io.despina.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import io.despina.control.coordinator.Coordinator;
import io.despina.control.coordinator.InferredSchema;
import io.despina.control.protocol.Json;
import io.despina.control.protocol.Refusal;
import io.despina.spark.executor.SparkExecutors;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/**
 * The engine's interface for Python. Arguments are strings, numbers and the bytes of rows; answers are JSON text, or bytes.
 * Thread-safe.
 *
 * <p><b>Errors</b> are answers: {@code {"error": {"rule", "message", "hint"}}}, hint only if there is one. Only {@link
 * #collected}, whose answer cannot hold an error, and a lack of memory throw. For a refused graph or deployment the answer is
 * {@code {"diagnostics": [...]}}, each {@code {"severity" (error, warning), "rule", "message", "hint", "file", "line", "column",
 * "pointer", "operator"}}, without fields that do not apply.
 *
 * <p><b>Options</b> are a JSON object, {@code "{}"} for none; an unknown name is an error:
 * <pre>
 * parameters       {"name": "value"}                          check, run
 * deployment_text  a deployment file's text                   check, run
 * deployment_file  its name, for diagnostics                  check, run
 * for_spark        true: also what has no Spark form          check
 * streaming        true: as streaming DataFrames, with
 *                  for_spark                                  check
 * duration_s       the sources stop after that many seconds   run
 * warm_up_s        counters and latency start again after it  run
 * drain_ms         how long stop(drain) may take (10000)      run
 * secret_file      the one secret of all resources, where
 *                  some join from elsewhere                   run
 * tls              folder of certificate.pem, key.pem and
 *                  authority.pem; plain TCP without           run
 * listen           host at which they join (127.0.0.1)        run
 * join_timeout_s   how long each is waited for (60)           run
 * inputs           [ids] of sources that {@link #feed} gives
 *                  their packets, in place of what the
 *                  graph says                                 check, run
 * pipes            {"stdin": path, "stdout": path}: what path
 *                  - means; without one it is refused           run
 * directory        what relative paths are of (the JVM's)     check, run
 * started_at_ms    wall clock when the command began, for
 *                  first_packet_s (else when run was called)  run
 * instant_micros   what now() is in the job, since 1970-01-01
 *                  00:00Z (else when the call came)           check, run
 * </pre>
 */
public final class Gateway implements AutoCloseable {
    private final Coordinator coordinator;
    /** Null if this JVM is not a Spark driver whose executors run the graphs. */
    private final SparkExecutors executors;

    public Gateway() {
        coordinator = new Coordinator();
        executors = null;
    }

    private Gateway(Coordinator coordinator, SparkExecutors executors) {
        this.coordinator = coordinator;
        this.executors = executors;
    }

    /**
     * In the driver of a Spark application, whose executors become the resources of every graph. Ends with the application.
     *
     * @param jar path of the engine's
     */
    public static Gateway onExecutors(String jar) {
        CompletableFuture<Gateway> made = new CompletableFuture<>();
        Thread atEnd = new Thread(() -> made.thenAccept(Gateway::close), "despina-end");
        try {
            SparkExecutors executors = SparkExecutors.ofThisDriver(jar, 0, atEnd::start);
            made.complete(new Gateway(Coordinator.on(executors), executors));
        } catch (Refusal e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
        return made.join();
    }

    /** {@code {"despina", "java", "pid"}}. */
    public String version() {
        return answer(coordinator::version);
    }

    /**
     * Parses, checks and plans, without network or data.
     *
     * @return {@code {"diagnostics": [...], "plan": {...}}}; plan is null if the diagnostics contain an error; else the answer
     *         also has {@code "inputs": {id: schema}}, each an Arrow IPC stream without a row, in base 64
     */
    public String check(String graphText, String fileName, String optionsJson) {
        return answer(() -> coordinator.check(graphText, fileName, optionsJson));
    }

    /** {@code {"text": canonical form}}, or {@code {"diagnostics": [...]}}. */
    public String format(String graphText, String fileName) {
        return answer(() -> coordinator.format(graphText, fileName));
    }

    /**
     * The schema that Spark infers from records.
     *
     * @param text        the first whole lines of a file
     * @param format      {@code csv} or {@code json}
     * @param optionsJson Spark's reader options, as in {@code file_source}
     * @return {@code {"schema": DDL}}
     */
    public String infer(String text, String format, String optionsJson) {
        return answer(() -> InferredSchema.of(text, format, optionsJson));
    }

    /**
     * Checks and starts a job; returns during its deployment, before its first packet.
     *
     * @return {@code {"job": id, "attempt": 1, "diagnostics": [warnings], "pipes": [those that it uses]}}, or
     *         {@code {"diagnostics": [...]}} if refused
     */
    public String run(String graphText, String fileName, String optionsJson) {
        return answer(() -> coordinator.run(graphText, fileName,
                executors == null ? optionsJson : executors.deployed(optionsJson)));
    }

    /**
     * The status of a job, at most a second old:
     * <pre>
     * {"job", "attempt", "graph", "state": deploying | running | draining | done | failed | stopped | incomplete,
     *  "elapsed_s", "first_packet_s" (null before), "error": {"rule", "message", "hint"} (only if failed or incomplete),
     *  "undelivered" (packets in flight that were dropped when it was cut short), "left_behind": [files with uncommitted rows],
     *  "operators": {id: {"packets_in", "packets_out", "errors", "late", "dropped"}},
     *  "skipped": {id: text and reason of the first record that "on_error": "skip" left out},
     *  "links": {"a->b": {"packets", "bytes", "bytes_on_wire", "queued_bytes", "capacity_bytes", "paused": bool,
     *           "paused_ms"}},
     *  "resources": {name: {"pid"}},
     *  "collected": {sink: {"rows", "waiting_bytes"}}}
     * </pre>
     * Counters only grow, except at the end of the warm-up. A rate is the difference of two calls, divided by their difference in
     * {@code elapsed_s}.
     */
    public String status(String job) {
        return answer(() -> coordinator.status(job));
    }

    /**
     * Waits until the job is done, failed or stopped, for at most {@code millis}; then answers like {@link #status}. While the
     * job runs, the counters are those of the last {@link #status}, because this call does not ask the resources.
     */
    public String await(String job, long millis) {
        return answer(() -> coordinator.await(job, millis));
    }

    /** Waits until that {@code collect_sink} has rows or the job has ended; then answers like {@link #await}. */
    public String awaitRows(String job, String sink, long millis) {
        return answer(() -> coordinator.awaitRows(job, sink, millis));
    }

    /**
     * Stops a job; returns at once. Use {@link #await} for the end.
     *
     * @param mode {@code drain}: sources stop, packets in flight are processed within {@code drain_ms}, open windows do not fire;
     *             {@code flush}: as at the end of input, open windows fire; {@code now}: no more packets are processed
     */
    public String stop(String job, String mode) {
        return answer(() -> coordinator.stop(job, mode));
    }

    /**
     * The report of {@code despina run --report}, of a running job at this moment. {@code latency_ms} is omitted if
     * the job's resources have different hosts (loopback addresses count as one), because a packet's age needs one monotonic
     * clock. The same applies to {@code packet_latency_ms}, which only sinks that verify relay packets have: there a packet
     * counts with its age by its own due time, not with that of its frame's oldest packet.
     */
    public String report(String job) {
        return answer(() -> coordinator.report(job));
    }

    /**
     * What a job file says: where programs of other processes reach the job, from this call on.
     * <pre>
     * {"host", "port", "job", "secret" (only if nobody gave one), "secret_file", "tls" (only if the options name them)}
     * </pre>
     */
    public String address(String job) {
        return answer(() -> coordinator.address(job).json());
    }

    /**
     * The rows that reached a {@code collect_sink} since the last call, as an Arrow IPC stream. The first call that finds the job
     * running or ended always returns a stream (with the schema, perhaps without rows). Later an empty array means that there is
     * nothing new; after {@link #status} has reported done, failed or stopped, it means that nothing follows.
     *
     * <p>The engine holds at most 64 MB of rows per sink (256 MB while a job stops) and then pauses the job, so call this
     * repeatedly until the end.
     *
     * @return at most about 16 MB per call; also empty for an unknown job or sink ({@link #status} lists them). The last hundred
     *         ended jobs are kept, with at most 256 MB of rows; {@link #status} does not know older ones
     * @throws RuntimeException if the rows cannot be made into a stream; those of this call are lost
     */
    public byte[] collected(String job, String sink) {
        return rows(() -> coordinator.collected(job, sink));
    }

    /**
     * Takes rows for a source that option {@code inputs} names, then waits until there is room for more, for at most
     * {@code millis}. One thread feeds one source.
     *
     * @param rows an Arrow IPC stream of the source's schema from {@link #check}; empty to only wait
     * @return {@code {"room": whether more may be sent at once, "open": whether anything more will be taken}}
     */
    public String feed(String job, String operator, byte[] rows, long millis) {
        return answer(() -> coordinator.feed(job, operator, rows, millis));
    }

    /**
     * Ends the rows for that source, or the epochs that programs commit to it: its stream ends when it has sent all of them.
     *
     * @param failure empty; or why the rows could not be provided, which fails the job
     */
    public String endFeed(String job, String operator, String failure) {
        return answer(() -> coordinator.endFeed(job, operator, failure));
    }

    /**
     * {@code {"lines": [...]}}: the lines that {@code console_sink}s printed since the last call; bounded like {@link
     * #collected}.
     */
    public String console(String job) {
        return answer(() -> coordinator.console(job));
    }

    /** Gives an operator of a running job another {@code schedule}, in the graph's form. Refused for a fused operator. */
    public String setSchedule(String job, String operator, String scheduleJson) {
        return answer(() -> coordinator.setSchedule(job, operator, scheduleJson));
    }

    /** Stops every job at once and ends every process that was started for them. */
    @Override
    public void close() {
        coordinator.close();
    }

    /** The same after Python has died: tells resources that joined from elsewhere that they lost their coordinator. */
    void abandon() {
        coordinator.close("its process has died");
    }

    /** Rows, or the refusal of an unknown job or sink. */
    interface RowsCall {
        byte[] take() throws Refusal;
    }

    static byte[] rows(RowsCall call) {
        ClassLoader before = useOwnClasses();
        try {
            return call.take();
        } catch (Refusal unknown) {
            return new byte[0];
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    /** In Spark's JVM the calling thread's loader may not know our classes, and code that is compiled here extends them. */
    private static ClassLoader useOwnClasses() {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(Gateway.class.getClassLoader());
        return before;
    }

    static String answer(Callable<? extends JsonNode> call) {
        ClassLoader before = useOwnClasses();
        try {
            return Json.text(call.call());
        } catch (ThreadDeath | OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            // errors too: an expression that is nested too deeply causes one
            return Json.text(Refusal.of(e).json());
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }
}
