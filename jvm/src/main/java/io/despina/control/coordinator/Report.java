package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.Measurement;
import io.despina.json.Json;
import io.despina.metrics.JobSnapshot;
import io.despina.metrics.Latency;
import io.despina.metrics.LatencySnapshot;
import io.despina.metrics.LinkSnapshot;
import io.despina.metrics.OperatorSnapshot;
import io.despina.metrics.ResourceSnapshot;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/** Combines the counters of all resources of a job into the answers of {@code status} and {@code report}. */
final class Report {
    private static final double NANOS_PER_S = 1e9;
    private static final double MS_PER_S = 1e3;

    private final JobAttempt job;
    private final JobStatus status;
    /** Null for a job that was never restarted. */
    private final Job.Restarts restarts;
    /** Null for an attempt alone. */
    private final StartTimes start;

    Report(JobAttempt job) {
        this(job, job.status(), null, null);
    }

    Report(Job job) {
        this(job.attempt(), job.status(), job.restarts(), job.course().start());
    }

    private Report(JobAttempt job, JobStatus status, Job.Restarts restarts, StartTimes start) {
        this.job = job;
        this.status = status;
        this.restarts = restarts;
        this.start = start;
    }

    /**
     * What {@code Gateway.status} answers:
     * <pre>
     * {"job", "attempt", "graph", "state": deploying | running | draining | restarting | done | failed | stopped |
     *  incomplete,
     *  "elapsed_s", "first_packet_s" (null before), "error": {"rule", "message", "hint"} (only if failed or incomplete),
     *  "restarts" (how often it went on after a loss), "last_restart" (only if it did): {"why": {"rule", "message", "hint"},
     *  "at_ms" (wall clock, when the loss was seen), "since_ms", and from then on, null before: "ended_ms" (the old attempt),
     *  "claimed_ms" (the next has its resources), "deployed_ms" (they are ready), "restored_ms", "first_row_ms" (at a sink)},
     *  "undelivered" (packets in flight that were dropped when it was cut short),
     *  "held" (packets in operators whose rows had not left when it was stopped), "left_behind": [files with uncommitted rows],
     *  "phase" (what it waits for, in words; empty unless it deploys),
     *  "awaited": {resource that has not joined: the command that starts it},
     *  "operators": {id: {"packets_in", "packets_out", "errors", "late", "dropped", "held" (its part of those),
     *               "open_windows" (of those), "state_bytes", "watermark_us" (if any), "counters" (a function's): {name: n},
     *               "resources": [that of each instance], "busy_ms", "paused_ms": [of each of its tasks],
     *               "behind_records", "behind_bytes" (of a source that knows),
     *               "latency_p50_ms", "latency_p99_ms", "latency_max_ms" (of a sink's last ten seconds)}},
     *  "skipped": {id: text and reason of the first record that "on_error": "skip" left out},
     *  "links": {"a->b": {"packets", "bytes", "bytes_on_wire", "senders" (tasks), "queued_bytes", "capacity_bytes" (of all its
     *           queues), "fill" (of the fullest queue, 0 to 1), "paused": bool, "paused_ms" (of all its senders)}},
     *  "resources": {name: {"pid", "cpu_s", "memory_bytes" (both of the process, if known)}},
     *  "placing" (only if operators would have more room elsewhere): {"greatest" (share of a processor, a thread or the network
     *  that is used), "would_be", "place": {id: [resource of each instance]}},
     *  "spares" (how many processes have joined and stand by),
     *  "collected": {sink: {"rows", "waiting_bytes", "kept" (whether rows stay where they are until {@code Gateway.done})}}}
     * </pre>
     */
    ObjectNode status() {
        ObjectNode answer = Json.object().put("job", job.attempt().job()).put("attempt", job.attempt().number())
                .put("graph", job.outline().name())
                .put("state", status.state().word());
        times(answer);
        restarts(answer);
        if (status.error() != null) {
            answer.set("error", status.error().body());
        }
        losses(answer);
        epochs(answer);
        answer.put("phase", status.deploying().phase());
        ObjectNode awaited = answer.putObject("awaited");
        status.deploying().awaited().forEach(awaited::put);
        operators(answer);
        MomentReport moments = new MomentReport(status.measurements());
        moments.ofOperators((ObjectNode) answer.get("operators"), job.outline().shareClock());
        job.outline().hosts().forEach((id, hosts) -> {
            ArrayNode told = ((ObjectNode) answer.at("/operators").get(id)).putArray("resources");
            hosts.forEach(told::add);
        });
        ObjectNode links = answer.putObject("links");
        for (String link : job.outline().links()) {
            LinkSnapshot counted = link(link);
            ObjectNode told = links.putObject(link).put("packets", counted.packets()).put("bytes", counted.bytes())
                    .put("bytes_on_wire", counted.bytesOnWire());
            moments.ofLink(told, link);
            told.put("paused_ms", TimeUnit.NANOSECONDS.toMillis(counted.pausedNanos()));
        }
        ObjectNode resources = answer.putObject("resources");
        status.pids().forEach((name, pid) -> moments.ofProcess(resources.putObject(name).put("pid", pid), name));
        if (job.exchange().proposal() != null) {
            answer.set("placing", job.exchange().proposal());
        }
        answer.put("spares", job.lease() == null ? 0 : job.lease().standingBy());
        ObjectNode collected = answer.putObject("collected");
        job.exchange().collected().forEach((sink, rows) -> collected.putObject(sink).put("rows", rows.rows())
                .put("waiting_bytes", rows.waitingBytes()).put("kept", rows.isKept()));
        return answer;
    }

    /** What {@code despina run --report} writes; without latencies if the job's hosts have different clocks. */
    ObjectNode report() {
        ObjectNode answer = Json.object().put("graph", job.outline().name()).put("on", job.outline().on());
        times(answer);
        timing(answer);
        answer.put("state", status.state().word()).put("attempt", job.attempt().number());
        restarts(answer);
        losses(answer);
        epochs(answer);
        answer.put("measured_s", status.times().measuredNanos() / NANOS_PER_S);
        operators(answer);
        new MomentReport(status.measurements()).timesOf((ObjectNode) answer.get("operators"));
        ObjectNode links = answer.putObject("links");
        job.outline().links().forEach(name -> links.set(name, link(link(name))));
        if (job.outline().shareClock()) {
            latency(answer.putObject("latency_ms"), latencies(JobSnapshot::latency));
            Map<String, Histogram> ofPackets = latencies(JobSnapshot::packetLatency);
            if (!ofPackets.isEmpty()) {
                latency(answer.putObject("packet_latency_ms"), ofPackets);
            }
        }
        ObjectNode resources = answer.putObject("resources");
        new TreeMap<>(status.measurements()).forEach((name, m) -> resources.set(name, resource(m.process())));
        return answer;
    }

    private void losses(ObjectNode answer) {
        answer.put("undelivered", status.losses().undelivered());
        answer.put("held", job.outline().operators().stream().mapToLong(id -> counted(id).state().held()).sum());
        ArrayNode left = answer.putArray("left_behind");
        status.losses().leftBehind().forEach(left::add);
    }

    /** Only of a job that keeps a state. */
    private void epochs(ObjectNode answer) {
        EpochStatus epochs = status.epochs();
        if (epochs == null) {
            return;
        }
        ObjectNode epoch = answer.putObject("epoch");
        epoch.put("state", epochs.folder()).put("restored_from", epochs.restoredFrom()).put("complete", epochs.complete())
                .put("age_s", epochs.ageMillis() / MS_PER_S).put("took_ms", epochs.last().millis())
                .put("bytes", epochs.last().bytes()).put("dropped", epochs.dropped())
                .put("dropped_in_row", epochs.trouble().droppedInRow()).put("why", epochs.trouble().why())
                .put("stale", epochs.trouble().stale());
        ArrayNode warnings = epoch.putArray("warnings");
        epochs.warnings().forEach(warnings::add);
    }

    private static void latency(ObjectNode answer, Map<String, Histogram> latencies) {
        latencies.forEach((sink, nanos) -> {
            LatencySnapshot ms = LatencySnapshot.of(nanos);
            ArrayNode percents = answer.putObject(sink).put("p50", ms.p50()).put("p95", ms.p95()).put("p99", ms.p99())
                    .put("p999", ms.p999()).put("max", ms.max()).putArray("percents");
            Arrays.stream(LatencySnapshot.percents(nanos)).forEach(percents::add);
        });
    }

    private void times(ObjectNode answer) {
        answer.put("elapsed_s", status.times().elapsedNanos() / NANOS_PER_S);
        long first = firstPacketMillis(status);
        if (first == Measurement.NONE || first < job.submission().startedAtMillis()) {     // or it came in a run before
            answer.putNull("first_packet_s");
        } else {
            answer.put("first_packet_s", (first - job.submission().startedAtMillis()) / MS_PER_S);
        }
    }

    /**
     * What the time to the first packet went to, in milliseconds since the command began: {@link StartTimes#put}, {@code
     * "opened_ms"}, when all operators were open, and {@code "first_packet_ms"}, at a sink. Not of a job that was restarted: its
     * first packet is not the first.
     */
    private void timing(ObjectNode answer) {
        if (start == null || restarts != null) {
            return;
        }
        long since = job.submission().startedAtMillis();
        ObjectNode timing = start.put(answer.putObject("timing"), since);
        if (isOpen(status)) {
            timing.put("opened_ms", openedMillis(status) - since);
        }
        long first = firstPacketMillis(status);
        if (first != Measurement.NONE) {
            timing.put("first_packet_ms", first - since);
        }
    }

    private void restarts(ObjectNode answer) {
        answer.put("restarts", restarts == null ? 0 : restarts.spent().count());
        if (restarts == null) {
            return;
        }
        RestartTimes.Spent spent = restarts.spent();
        ObjectNode last = answer.putObject("last_restart");
        last.set("why", restarts.why().body());
        last.put("at_ms", spent.seenMillis()).put("since_ms", spent.now());
        part(last, "ended_ms", spent.ended());
        part(last, "claimed_ms", spent.claimed());
        part(last, "deployed_ms", spent.deployed());
        JobStatus own = job.status();       // the other may have the counters of an attempt before
        long first = spent.deployed() == RestartTimes.NONE ? Measurement.NONE : firstPacketMillis(own);
        boolean restored = spent.deployed() != RestartTimes.NONE && isOpen(own);
        part(last, "restored_ms", restored ? openedMillis(own) - spent.seenMillis() : RestartTimes.NONE);
        part(last, "first_row_ms", first == Measurement.NONE ? RestartTimes.NONE : first - spent.seenMillis());
    }

    private static void part(ObjectNode answer, String name, long millis) {
        if (millis == RestartTimes.NONE) {
            answer.putNull(name);
        } else {
            answer.put(name, millis);
        }
    }

    /** Whether all operators are open, and restored where the job goes on. */
    private static boolean isOpen(JobStatus of) {
        return !of.measurements().isEmpty() && of.measurements().values().stream()
                .allMatch(each -> each.times().openedMillis() != Measurement.NONE);
    }

    private static long openedMillis(JobStatus of) {
        return of.measurements().values().stream().mapToLong(each -> each.times().openedMillis()).max().orElseThrow();
    }

    private static long firstPacketMillis(JobStatus of) {
        return of.measurements().values().stream().mapToLong(each -> each.times().firstPacketMillis())
                .filter(millis -> millis != Measurement.NONE).min().orElse(Measurement.NONE);
    }

    private OperatorSnapshot counted(String operator) {
        return status.measurements().values().stream()
                .map(m -> m.job().operators().getOrDefault(operator, OperatorSnapshot.ZERO))
                .reduce(OperatorSnapshot.ZERO, OperatorSnapshot::plus);
    }

    private void operators(ObjectNode answer) {
        ObjectNode operators = answer.putObject("operators");
        ObjectNode skipped = Json.object();
        for (String id : job.outline().operators()) {
            OperatorSnapshot sum = counted(id);
            operators.set(id, operator(sum));
            if (sum.skipped() != null) {
                skipped.put(id, sum.skipped());
            }
        }
        answer.set("skipped", skipped);
    }

    private static ObjectNode operator(OperatorSnapshot sum) {
        ObjectNode answer = Json.object().put("packets_in", sum.packetsIn()).put("packets_out", sum.packetsOut())
                .put("errors", sum.errors()).put("late", sum.late()).put("dropped", sum.dropped())
                .put("held", sum.state().held()).put("open_windows", sum.state().openWindows())
                .put("state_bytes", sum.state().bytes());
        if (sum.state().hasWatermark()) {
            answer.put("watermark_us", sum.state().watermark());
        }
        if (!sum.own().isEmpty()) {
            ObjectNode own = answer.putObject("counters");
            sum.own().forEach(own::put);
        }
        return answer;
    }

    private LinkSnapshot link(String name) {
        return status.measurements().values().stream().map(m -> m.job().links().getOrDefault(name, LinkSnapshot.ZERO))
                .reduce(LinkSnapshot.ZERO, LinkSnapshot::plus);
    }

    private static ObjectNode link(LinkSnapshot counted) {
        return Json.object().put("packets", counted.packets()).put("bytes", counted.bytes())
                .put("bytes_on_wire", counted.bytesOnWire()).put("segments", counted.segments())
                .put("flushes_full", counted.flushes().full()).put("flushes_timer", counted.flushes().timer())
                .put("flushes_early", counted.flushes().early()).put("compressed_segments", counted.compressedSegments())
                .put("paused_ms", TimeUnit.NANOSECONDS.toMillis(counted.pausedNanos()));
    }

    private Map<String, Histogram> latencies(Function<JobSnapshot, Map<String, Histogram>> which) {
        Map<String, Histogram> sums = new TreeMap<>();
        for (Measurement measurement : status.measurements().values()) {
            for (Map.Entry<String, Histogram> entry : which.apply(measurement.job()).entrySet()) {
                sums.computeIfAbsent(entry.getKey(), sink -> Latency.empty()).add(entry.getValue());
            }
        }
        return sums;
    }

    private static ObjectNode resource(ResourceSnapshot used) {
        return Json.object().put("cpu_s", used.cpuSeconds()).put("gc_ms", used.gcMillis())
                .put("allocated_bytes", used.allocatedBytes()).put("max_memory_bytes", used.maxMemoryBytes())
                .put("context_switches", used.contextSwitches());
    }
}
