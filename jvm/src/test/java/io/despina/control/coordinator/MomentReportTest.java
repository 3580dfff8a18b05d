package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.Measurement;
import io.despina.json.Json;
import io.despina.metrics.Behind;
import io.despina.metrics.JobSnapshot;
import io.despina.metrics.Latency;
import io.despina.metrics.Moment;
import io.despina.metrics.ProcessUse;
import io.despina.metrics.QueueSnapshot;
import io.despina.metrics.TaskTimes;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** What two resources tell of a job becomes one status. */
class MomentReportTest {
    private static final long MS = 1_000_000;

    private static Measurement of(Moment moment) {
        return new Measurement(new JobSnapshot(Map.of(), Map.of(), Map.of(), Map.of()), null, moment, Measurement.Times.UNKNOWN);
    }

    private static Moment moment(int instance, long busy, QueueSnapshot queue, long latency, Behind behind) {
        Histogram nanos = Latency.emptyRecent();
        nanos.recordValueWithCount(latency * MS, 50);
        return new Moment(Map.of("a->b", queue), instance == 0 ? Set.of() : Set.of("a->b"),
                Map.of("a", List.of(new TaskTimes.Snapshot(instance, 0, busy * MS, 3 * MS))), Map.of("b", nanos),
                Map.of("a", behind), List.of(), new ProcessUse(1.5, 1000), Map.of());
    }

    private final MomentReport moments = new MomentReport(Map.of(
            "far", of(moment(1, 20, QueueSnapshot.of(1, 500, 1000), 16, new Behind(7, Behind.UNKNOWN))),
            "near", of(moment(0, 10, QueueSnapshot.of(1, 100, 1000), 2, Behind.NOTHING_KNOWN))));

    @Test
    void tasksStandInTheOrderOfTheirInstances() {
        ObjectNode operators = Json.object();
        operators.putObject("a");
        operators.putObject("b");
        moments.ofOperators(operators, true);
        assertEquals("{\"busy_ms\":[10,20],\"paused_ms\":[3,3],\"behind_records\":7}", operators.get("a").toString());
        assertEquals(2.0, operators.at("/b/latency_p50_ms").asDouble(), 2 * 0.0625);
        assertEquals(16.0, operators.at("/b/latency_p99_ms").asDouble(), 16 * 0.0625);
        assertEquals(16.0, operators.at("/b/latency_max_ms").asDouble(), 16 * 0.0625);
        operators.putObject("b");
        moments.ofOperators(operators, false);
        assertEquals("{\"busy_ms\":[],\"paused_ms\":[]}", operators.get("b").toString(), "without a common clock");
    }

    @Test
    void queuesAreAddedUpAndTheFullestTells() {
        ObjectNode link = Json.object();
        moments.ofLink(link, "a->b");
        assertEquals("{\"senders\":2,\"queued_bytes\":600,\"capacity_bytes\":2000,\"fill\":0.5,\"paused\":true}",
                link.toString());
        ObjectNode fused = Json.object();
        moments.ofLink(fused, "b->c");
        assertEquals("{\"senders\":0,\"queued_bytes\":0,\"capacity_bytes\":0,\"fill\":0.0,\"paused\":false}",
                fused.toString());
    }

    @Test
    void aProcessIsToldWhereItIsKnown() {
        ObjectNode known = Json.object();
        moments.ofProcess(known, "far");
        assertEquals("{\"cpu_s\":1.5,\"memory_bytes\":1000}", known.toString());
        ObjectNode unknown = Json.object();
        moments.ofProcess(unknown, "other");
        assertEquals("{}", unknown.toString());
    }
}
