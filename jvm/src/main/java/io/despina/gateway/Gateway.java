package io.despina.gateway;

import io.despina.control.assembly.JobPlan;
import io.despina.control.coordinator.Coordinator;
import io.despina.control.coordinator.InferredSchema;
import io.despina.control.folder.FolderCommands;
import io.despina.control.process.LogFormat;
import io.despina.control.protocol.Refusal;
import io.despina.control.resource.LoopMeter;
import io.despina.json.Json;
import io.despina.spark.executor.SparkExecutors;
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
 * streaming        true: as streams, with for_spark           check
 * connect, leftovers, remove, known   see io.despina.control.assembly.JobOptions.Tries   check
 * duration_s       the sources stop after that many seconds   run
 * warm_up_s        counters and latency start again after it  run
 * on_stop          drain (the default), flush or now: its end
 *                  by duration_s or {@link #stop} without mode  run
 * drain_ms         how long drain and flush may take (10000)  run
 * secret_file      the secret of resources that join          run
 * tls              folder of certificate.pem, key.pem and
 *                  authority.pem; plain TCP without           run
 * listen           host at which they join (127.0.0.1)        run
 * join_timeout_s   how long each is waited for (60)           run
 * inputs           [ids] of sources that {@link #feed} gives
 *                  their packets, in place of what the
 *                  graph says                                 check, run
 * standby, coordinator_lost_ms, registry  see io.despina.control.assembly.Outliving  run
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
        LogFormat.set();
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
        return Answers.json(coordinator::version);
    }

    /**
     * Parses, checks and plans, without network or data.
     *
     * @return {@code {"diagnostics": [...], "plan": {...}}}; plan is null if the diagnostics contain an error; else the answer
     *         also has {@code "inputs": {id: schema}}, each an Arrow IPC stream without a row, in base 64, and {@code
     *         "defaults": {id: row}} for inputs that may leave columns out: those columns and what they then are; and {@code
     *         "guarantee": {...}}, but for Spark, see {@link io.despina.plan.Guarantees#json}; {@code
     *         "children_bytes"}, what children of the deployment may take of memory; with connect or leftovers {@code
     *         "connections": [{"operator", "words": what was found, or null, "problem": as of diagnostics, or null}]}
     */
    public String check(String graphText, String fileName, String optionsJson) {
        return Answers.json(() -> coordinator.check(graphText, fileName, optionsJson));
    }

    /**
     * Checks a graph, and says what would become of what an epoch or a savepoint has if the graph went on from it.
     *
     * @param wishJson {@code {"from": absolute path or URI of a state folder or of a savepoint, "drop": [id], "rename": {old id:
     *                 new id}}}
     * @return as {@link #check}, whose diagnostics then have an error for each operator that cannot go on, and {@code "dry_run":
     *         {"from", "operators": [{"operator", "fate": kept | renamed | new | dropped | refused, "words"}]}}
     */
    public String dryRun(String graphText, String fileName, String optionsJson, String wishJson) {
        return Answers.json(() -> coordinator.dryRun(graphText, fileName, optionsJson, wishJson));
    }

    /**
     * Looks into a state folder, or removes what it no longer needs; see {@link FolderCommands#run}.
     *
     * @param folder absolute path or URI of what a run had as its state, or of one graph's folder in it
     */
    public String state(String command, String folder, String optionsJson) {
        return Answers.json(() -> coordinator.state(command, folder, optionsJson));
    }

    /** {@code {"cpus", "loops_ns": {"arithmetic", "memory", "bytes"}}}, as {@code machine} of a deployment has them. */
    public String machine() {
        return Answers.json(LoopMeter::ofThisMachine);
    }

    /** Loads the expression compiler, in the background: what is checked next and was never checked before is answered sooner. */
    public String warmUp() {
        return Answers.done(() -> coordinator.warmUp());
    }

    /**
     * Keeps so many processes ready that no job has yet, of the size that a resource of a deployment has by default. A job whose
     * deployment starts such a child takes one, which is of that job alone; another is started some seconds later. Answers at
     * once.
     */
    public String keepReady(int count) {
        return Answers.done(() -> coordinator.keepReady(count));
    }

    /** {@code {"text": the JSON Schema of graphs}}. */
    public String schema() {
        return Answers.json(() -> Json.object().put("text", JobPlan.schema()));
    }

    /** {@code {"text": canonical form}}, or {@code {"diagnostics": [...]}}; if it has parts also {@code "whole"} without. */
    public String format(String graphText, String fileName) {
        return Answers.json(() -> coordinator.format(graphText, fileName));
    }

    /**
     * The schema that Spark infers from records, or makes of the message of a descriptor file.
     *
     * @param text        the first whole lines of a file; empty for {@code protobuf}
     * @param format      {@code csv}, {@code json} or {@code protobuf}
     * @param optionsJson the options of the format, as a source has them
     * @return {@code {"schema": DDL, "by_place": whether the names of the header are not the schema's, "extra_columns": whether a
     *         record has more columns than the schema}}; of protobuf also {@code "message"}, and {@code "left_out"}, other fields
     */
    public String infer(String text, String format, String optionsJson) {
        return Answers.json(() -> InferredSchema.of(text, format, optionsJson));
    }

    /** Of a {@code file_source}'s path: {@code {"file": the first with bytes, or null, "folders": {column: type as DDL}}}. */
    public String find(String path) {
        return Answers.json(() -> InferredSchema.find(path));
    }

    /** What a {@code jdbc_source}, the first of a graph, could read: {@code {"schema", "column" (rises; or null), "notes"}}. */
    public String table(String graphText, String fileName, String optionsJson) {
        return Answers.json(() -> InferredSchema.table(graphText, fileName, optionsJson));
    }

    /**
     * Checks and starts a job; returns during its deployment, before its first packet.
     *
     * @return {@code {"job": id, "attempt": 1, "diagnostics": [warnings], "pipes": [those that it uses]}}, or
     *         {@code {"diagnostics": [...]}} if refused
     */
    public String run(String graphText, String fileName, String optionsJson) {
        return Answers.json(() -> coordinator.run(graphText, fileName,
                executors == null ? optionsJson : executors.deployed(graphText, optionsJson)));
    }

    /** {@code {"phase": what a call of {@link #run} that has not answered yet is at, in words}}. */
    public String starting() {
        return Answers.json(coordinator::starting);
    }

    /**
     * The status of a job, at most a second old; {@code control.coordinator.Report} draws it.
     *
     * <p>Counters only grow, except at the end of the warm-up. A rate is the difference of two calls, divided by their difference
     * in {@code elapsed_s}.
     */
    public String status(String job) {
        return Answers.json(() -> coordinator.status(job));
    }

    /**
     * Waits until the job is done, failed or stopped, for at most {@code millis}; then answers like {@link #status}. While the
     * job runs, the counters are those of the last {@link #status}, because this call does not ask the resources.
     */
    public String await(String job, long millis) {
        return Answers.json(() -> coordinator.await(job, millis));
    }

    /** Waits until that {@code collect_sink} has rows or the job has ended; then answers like {@link #await}. */
    public String awaitRows(String job, String sink, long millis) {
        return Answers.json(() -> coordinator.awaitRows(job, sink, millis));
    }

    /**
     * Stops a job; returns at once. Use {@link #await} for the end.
     *
     * @param mode {@code drain}: sources stop, packets in flight are processed within {@code drain_ms}, open windows do not fire;
     *             {@code flush}: as at the end of input, open windows fire; {@code now}: no more packets are processed;
     *             empty: as the option {@code on_stop} says
     */
    public String stop(String job, String mode) {
        return Answers.json(() -> coordinator.stop(job, mode));
    }

    /**
     * Begins to write a savepoint of a job that keeps its state; returns at once.
     *
     * @param folder that is empty or not there: a path, relative as those of the job, or an address
     * @param stop   empty: the job goes on; else it is stopped, by a mode or {@code usual}, and the savepoint is of its end
     */
    public String savepoint(String job, String folder, String stop) {
        return Answers.json(() -> coordinator.savepoint(job, folder, stop));
    }

    /** {@code {"done": false}} when that time has passed, or {@code {"done": true, "epoch", "bytes", "folder"}}. */
    public String awaitSavepoint(String job, long millis) {
        return Answers.json(() -> coordinator.awaitSavepoint(job, millis));
    }

    /**
     * Stops a job of another process, whose {@link #address} is given, or has a savepoint of it written, or both.
     *
     * @return {@code {"epoch", "bytes"}} when that is written
     */
    public String direct(String jobFile, String stop, String folder) {
        return Answers.json(() -> JobFiles.direct(jobFile, stop, folder));
    }

    /**
     * The report of {@code despina run --report}, of a running job at this moment. {@code latency_ms} is omitted if
     * the job's resources have different hosts (loopback addresses count as one), because a packet's age needs one monotonic
     * clock. The same applies to {@code packet_latency_ms}, which only sinks that verify relay packets have: there a packet
     * counts with its age by its own due time, not with that of its frame's oldest packet.
     */
    public String report(String job) {
        return Answers.json(() -> coordinator.report(job));
    }

    /**
     * What a job file says: where programs of other processes reach the job, from this call on.
     * <pre>
     * {"host", "port", "job", "secret" (only if nobody gave one), "secret_file", "tls" (only if the options name them)}
     * </pre>
     */
    public String address(String job) {
        return Answers.json(() -> coordinator.address(job).json());
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
        return Answers.rows(() -> coordinator.collected(job, sink));
    }

    /**
     * Python does not want the first so many rows again that it has {@link #collected}, where they are kept: neither the next
     * attempt nor the next run of the job gives them.
     *
     * @param rows -1 for all
     * @param how  it goes on: {@code waits} for the end of the job, by when what it has collected is its own; {@code takes}
     *             batches, and says this of each, until which the job does not end; or {@code leaves} what it has not
     *             collected to the next run
     */
    public String done(String job, String sink, long rows, String how) {
        return Answers.json(() -> coordinator.done(job, sink, rows, how));
    }

    /** {@code {"place": text}}: where the first so many rows end that were {@link #collected}, for {@link #begin}. */
    public String place(String job, String sink, long rows) {
        return Answers.json(() -> coordinator.place(job, sink, rows));
    }

    /** Kept rows begin behind a place of this run or of one before it. Before any are {@link #collected}. */
    public String begin(String job, String sink, String place) {
        return Answers.json(() -> coordinator.begin(job, sink, place));
    }

    /**
     * Takes rows for a source that option {@code inputs} names, then waits until there is room for more, for at most
     * {@code millis}. One thread feeds one source.
     *
     * @param rows an Arrow IPC stream of the source's schema from {@link #check}; empty to only wait
     * @return {@code {"room": whether more may be sent at once, "open": whether anything more will be taken}}
     */
    public String feed(String job, String operator, byte[] rows, long millis) {
        return Answers.json(() -> coordinator.feed(job, operator, rows, millis));
    }

    /**
     * How many rows of that source are in: with a state folder of this machine, for ever.
     *
     * @param follow whether the rows that {@link #feed} gives from now on are those behind them. If not, they begin with the
     *               first of all, and those that are in are left out
     * @param millis how long to wait until that is known
     * @return {@code {"rows": n}}; -1 if it is not known yet
     */
    public String fed(String job, String operator, boolean follow, long millis) {
        return Answers.json(() -> coordinator.fed(job, operator, follow, millis));
    }

    /**
     * Ends the rows for that source, or the epochs that programs commit to it: its stream ends when it has sent all of them.
     *
     * @param failure empty; or why the rows could not be provided, which fails the job
     */
    public String endFeed(String job, String operator, String failure) {
        return Answers.json(() -> coordinator.endFeed(job, operator, failure));
    }

    /**
     * {@code {"lines": [...], "sinks": [...], "bad_records": [...]}}: the lines that {@code console_sink}s printed since the last
     * call, bounded like {@link #collected}, and the sink of each; and what operators could not process, as it was known at the
     * last {@link #status}, of each operator the last thousand: {@code {"at_ms", "operator", "instance", "attempt", "reason",
     * "record", "line", "column", "pointer" (of the operator in the graph)}}.
     */
    public String console(String job) {
        return Answers.json(() -> coordinator.console(job));
    }

    /**
     * Tells operators of a running job what to do, see {@link io.despina.spec.ControlCommand}.
     *
     * @param operator empty for all that know the command; {@code argument}: empty for none, a schedule in the graph's form
     * @return {@code {"answers": [{"operator", "instance", "ok", "answer": words}]}}
     */
    public String control(String job, String command, String operator, String argument) {
        return Answers.json(() -> coordinator.control(job, command, operator, argument));
    }

    /** The same for a job of another process, by its {@link #address}. */
    public String controlAt(String jobFile, String command, String operator, String argument) {
        return Answers.json(() -> JobFiles.control(jobFile, command, operator, argument));
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
}
