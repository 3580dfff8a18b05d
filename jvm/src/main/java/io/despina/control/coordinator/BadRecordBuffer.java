package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.descriptor.Place;
import io.despina.json.Json;
import io.despina.metrics.LastBadRecords.BadRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Bad records that resources have told of and nobody has taken: of each operator the last thousand. Thread-safe. */
final class BadRecordBuffer {
    static final int MOST = 1_000;
    /** Of all operators together: the oldest make room. */
    static final int MOST_CHARACTERS = 1 << 22;

    private final int attempt;
    private final Map<String, Place> places;
    /** Guarded by this, as they came. */
    private final Deque<ObjectNode> waiting = new ArrayDeque<>();
    /** Guarded by this: how many wait, by operator. */
    private final Map<String, Integer> counts = new HashMap<>();
    /** Guarded by this. */
    private long characters;

    /** @param places of operators in the graph's file */
    BadRecordBuffer(int attempt, Map<String, Place> places) {
        this.attempt = attempt;
        this.places = places;
    }

    synchronized void add(List<BadRecord> records) {
        for (BadRecord each : records) {
            ObjectNode told = Json.object().put("at_ms", each.atMillis()).put("operator", each.operator())
                    .put("instance", each.instance()).put("attempt", attempt).put("reason", each.reason())
                    .put("record", each.record());
            Place place = places.get(each.operator());
            if (place != null) {
                told.put("line", place.line()).put("column", place.column()).put("pointer", place.pointer());
            }
            add(told);
        }
    }

    private void add(ObjectNode told) {
        waiting.add(told);
        characters += size(told);
        String operator = told.get("operator").textValue();
        if (counts.merge(operator, 1, Integer::sum) > MOST) {
            waiting.stream().filter(each -> each.get("operator").textValue().equals(operator)).findFirst()
                    .ifPresent(oldest -> {
                        waiting.removeFirstOccurrence(oldest);
                        removed(oldest);
                    });
        }
        while (characters > MOST_CHARACTERS && waiting.size() > 1) {
            removed(waiting.remove());
        }
    }

    private void removed(ObjectNode told) {
        characters -= size(told);
        counts.merge(told.get("operator").textValue(), -1, Integer::sum);
    }

    private static int size(ObjectNode told) {
        return told.get("reason").textValue().length() + told.get("record").textValue().length();
    }

    /** Takes all of them, as they came. */
    synchronized ArrayNode take() {
        ArrayNode taken = Json.object().putArray("bad_records");
        waiting.forEach(taken::add);
        waiting.clear();
        counts.clear();
        characters = 0;
        return taken;
    }

    /** What nobody has taken of the attempt before comes first. */
    void goOnFrom(BadRecordBuffer before) {
        List<ObjectNode> untaken = new ArrayList<>();
        before.take().forEach(each -> untaken.add((ObjectNode) each));
        synchronized (this) {
            untaken.forEach(this::add);
        }
    }
}
