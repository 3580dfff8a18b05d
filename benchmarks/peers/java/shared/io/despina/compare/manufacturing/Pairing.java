package io.despina.compare.manufacturing;

import io.despina.compare.Step;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * As-of join: each change of a valve (input 0) with the latest change of its sensor (input 1) to the same value, at or before it
 * in the order of time and index. A change of the valve waits until the sensor's mark has passed it; none: no row.
 */
final class Pairing implements Step {
    private record Moment(long micros, long index) implements Comparable<Moment> {
        @Override
        public int compareTo(Moment other) {
            return micros != other.micros ? Long.compare(micros, other.micros) : Long.compare(index, other.index);
        }
    }

    private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();
    private final Map<Integer, TreeMap<Moment, Long>> changes = new HashMap<>();
    private final long[] marks = {Long.MIN_VALUE, Long.MIN_VALUE};
    private long told = Long.MIN_VALUE;

    @Override
    public void accept(int input, byte[] record, Out out) {
        if (Records.kind(record) == Records.MARK) {
            marks[input] = Records.micros(record);
            pair(out);
        } else if (input == 0) {
            waiting.add(record);
        } else {
            changes.computeIfAbsent(Records.value(record), value -> new TreeMap<>())
                    .put(new Moment(Records.micros(record), Records.index(record)), Records.micros(record));
        }
    }

    private void pair(Out out) {
        while (!waiting.isEmpty() && Records.micros(waiting.peek()) < marks[1]) {
            byte[] valve = waiting.poll();
            Moment at = new Moment(Records.micros(valve), Records.index(valve));
            TreeMap<Moment, Long> before = changes.get(Records.value(valve));
            Map.Entry<Moment, Long> latest = before == null ? null : before.floorEntry(at);
            if (latest != null) {
                before.headMap(latest.getKey()).clear();
                out.emit(Records.delay(at.micros, at.index, Records.value(valve), at.micros - latest.getValue()));
            }
        }
        long mark = Math.min(marks[0], marks[1]);
        if (mark > told) {
            told = mark;
            out.emit(Records.mark(mark));
        }
    }
}
