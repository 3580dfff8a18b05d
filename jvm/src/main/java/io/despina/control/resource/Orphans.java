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

    /** It is none any more. @return whether it was one */
    boolean remove(Attempt attempt) {
        return until.remove(attempt) != null;
    }

    List<Attempt> all() {
        return List.copyOf(until.keySet());
    }

    /** Those whose time is up: they are none any more, so nobody can take them over. */
    List<Attempt> due() {
        long now = clock.getAsLong();
        return until.entrySet().stream().filter(each -> now - each.getValue() >= 0)
                .filter(each -> until.remove(each.getKey(), each.getValue())).map(Map.Entry::getKey).toList();
    }
}
