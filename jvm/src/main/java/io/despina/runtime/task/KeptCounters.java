package io.despina.runtime.task;

import io.despina.metrics.OperatorSnapshot;
import io.despina.metrics.StageCounters;
import io.despina.state.NamedEntries;
import io.despina.state.State;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a stage has counted, as a state: a restored job goes on counting where the snapshot was taken. At another parallelism the
 * first instance takes what all had counted.
 */
final class KeptCounters {
    private static final String PACKETS_IN = "packets_in";
    private static final String PACKETS_OUT = "packets_out";
    private static final String ERRORS = "errors";
    private static final String LATE = "late";
    private static final String DROPPED = "dropped";
    /** Before the names that a user's function gives to what it counts. */
    private static final String OWN = "own_";
    /** Before the names of what the part behind counts. */
    private static final String BEHIND = "behind_";

    private final StageCounters own;
    /** Null if there is none. */
    private final StageCounters behind;
    private final NamedEntries state = new NamedEntries("stage_counters", this::texts);

    KeptCounters(StageParts parts) {
        own = parts.counters();
        behind = parts.behind();
    }

    State state() {
        return state;
    }

    /** Of the stage alone. */
    Map<String, Long> now() {
        return counted(own.snapshot());
    }

    private static Map<String, Long> counted(OperatorSnapshot now) {
        Map<String, Long> counted = new LinkedHashMap<>();
        counted.put(PACKETS_IN, now.packetsIn());
        counted.put(PACKETS_OUT, now.packetsOut());
        counted.put(ERRORS, now.errors());
        counted.put(LATE, now.late());
        counted.put(DROPPED, now.dropped());
        now.own().forEach((name, count) -> counted.put(OWN + name, count));
        return counted;
    }

    private Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        now().forEach((name, count) -> texts.put(name, Long.toString(count)));
        if (behind != null) {
            counted(behind.snapshot()).forEach((name, count) -> texts.put(BEHIND + name, Long.toString(count)));
        }
        return texts;
    }

    /** The state is restored. When the first packet came is of each attempt alone: by it one sees how long a restart took. */
    void restored(int instance, int parallelism) {
        List<Map<String, String>> all = state.restored();
        if (all.size() != parallelism && instance > 0) {
            return;
        }
        own.restore(sum(all, ""));
        if (behind != null) {
            behind.restore(sum(all, BEHIND));
        }
    }

    private static OperatorSnapshot sum(List<Map<String, String>> all, String before) {
        return new OperatorSnapshot(sum(all, before, PACKETS_IN), sum(all, before, PACKETS_OUT), sum(all, before, ERRORS),
                sum(all, before, LATE), sum(all, before, DROPPED), 0, OperatorSnapshot.ZERO.state(),
                new OperatorSnapshot.Words(null, own(all, before + OWN)));
    }

    private static Map<String, Long> own(List<Map<String, String>> all, String before) {
        Map<String, Long> sums = new HashMap<>();
        all.forEach(each -> each.forEach((name, count) -> {
            if (name.startsWith(before)) {
                sums.merge(name.substring(before.length()), Long.parseLong(count), Long::sum);
            }
        }));
        return sums;
    }

    private static long sum(List<Map<String, String>> all, String before, String name) {
        return all.stream().mapToLong(each -> Long.parseLong(each.getOrDefault(before + name, "0"))).sum();
    }
}
