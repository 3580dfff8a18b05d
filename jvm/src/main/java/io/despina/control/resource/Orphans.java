package io.despina.control.resource;

import io.despina.link.Attempt;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** The attempts here whose coordinator was lost, until another takes them over or their time is up. Thread-safe. */
final class Orphans {
    private final LongSupplier clock;
    /** Nanoseconds, by attempt. */
    private final Map<Attempt, Long> until = new ConcurrentHashMap<>();

    Orphans(LongSupplier clock) {
        this.clock = clock;
    }

    /** It is one from now on, if it was none, for so long. */
    void add(Attempt attempt, long millis) {
        until.putIfAbsent(attempt, clock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(millis));
    }

    void remove(Attempt attempt) {
        until.remove(attempt);
    }

    List<Attempt> all() {
        return List.copyOf(until.keySet());
    }

    /** Those whose time is up. */
    List<Attempt> due() {
        long now = clock.getAsLong();
        return until.entrySet().stream().filter(each -> now - each.getValue() >= 0).map(Map.Entry::getKey).toList();
    }
}
