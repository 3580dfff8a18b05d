package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.Measurement;
import io.despina.metrics.Behind;
import io.despina.metrics.Latency;
import io.despina.metrics.LatencySnapshot;
import io.despina.metrics.Moment;
import io.despina.metrics.ProcessUse;
import io.despina.metrics.QueueSnapshot;
import io.despina.metrics.TaskTimes;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** Combines what the resources of a job tell of this moment, for the answer of {@code status}. */
final class MomentReport {
    private final Map<String, Measurement> measurements;

    /** @param measurements by resource */
    MomentReport(Map<String, Measurement> measurements) {
        this.measurements = measurements;
    }

    private Stream<Moment> all() {
        return measurements.values().stream().map(Measurement::moment);
    }

    /**
     * Adds what the time of their tasks goes to, and where it is known how far a source is behind and how long packets take to a
     * sink.
     *
     * @param operators by id
     * @param latency   whether packets' ages can be told
     */
    void ofOperators(ObjectNode operators, boolean latency) {
        operators.properties().forEach(each -> {
            ObjectNode told = (ObjectNode) each.getValue();
            tasks(told, each.getKey());
            behind(told, each.getKey());
            if (latency) {
                latency(told, each.getKey());
            }
        });
    }

    /** Adds what the time of their tasks goes to. @param operators by id */
    void timesOf(ObjectNode operators) {
        operators.properties().forEach(each -> tasks((ObjectNode) each.getValue(), each.getKey()));
    }

    private void tasks(ObjectNode told, String operator) {
        List<TaskTimes.Snapshot> tasks = all().flatMap(each -> each.tasks().getOrDefault(operator, List.of()).stream())
                .sorted(Comparator.comparingInt(TaskTimes.Snapshot::instance)).toList();
        ArrayNode busy = told.putArray("busy_ms");
        ArrayNode paused = told.putArray("paused_ms");
        tasks.forEach(task -> {
            busy.add(TimeUnit.NANOSECONDS.toMillis(task.busyNanos()));
            paused.add(TimeUnit.NANOSECONDS.toMillis(task.pausedNanos()));
        });
    }

    private void behind(ObjectNode told, String source) {
        Behind behind = all().map(each -> each.behind().getOrDefault(source, Behind.NOTHING_KNOWN))
                .reduce(Behind.NOTHING_KNOWN, Behind::plus);
        if (behind.records() != Behind.UNKNOWN) {
            told.put("behind_records", behind.records());
        }
        if (behind.bytes() != Behind.UNKNOWN) {
            told.put("behind_bytes", behind.bytes());
        }
    }

    private void latency(ObjectNode told, String sink) {
        List<Histogram> found = all().map(each -> each.latency().get(sink)).filter(Objects::nonNull).toList();
        if (found.isEmpty()) {
            return;
        }
        Histogram sum = Latency.emptyRecent();
        found.forEach(sum::add);
        LatencySnapshot ms = LatencySnapshot.of(sum);
        told.put("latency_p50_ms", ms.p50()).put("latency_p99_ms", ms.p99()).put("latency_max_ms", ms.max());
    }

    /** Adds how its queues stand. */
    void ofLink(ObjectNode told, String link) {
        QueueSnapshot queue = all().map(each -> each.queues().getOrDefault(link, QueueSnapshot.NONE))
                .reduce(QueueSnapshot.NONE, QueueSnapshot::plus);
        told.put("senders", queue.senders()).put("queued_bytes", queue.queuedBytes())
                .put("capacity_bytes", queue.capacityBytes()).put("fill", queue.fill())
                .put("paused", all().anyMatch(each -> each.pausedLinks().contains(link)));
    }

    /** Adds what its process has used, as far as that is known. */
    void ofProcess(ObjectNode told, String resource) {
        Measurement measured = measurements.get(resource);
        ProcessUse use = measured == null ? ProcessUse.UNKNOWN : measured.moment().process();
        if (!use.equals(ProcessUse.UNKNOWN)) {
            told.put("cpu_s", use.cpuSeconds()).put("memory_bytes", use.residentBytes());
        }
    }
}
