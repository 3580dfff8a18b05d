package io.despina.control.coordinator;

import io.despina.control.members.Member;
import io.despina.control.protocol.Measurement;
import io.despina.control.protocol.Message;
import io.despina.link.Attempt;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Collects the counters of a job's members. Guarded by the lock of its {@link JobAttempt}. */
final class CounterCollection {
    /** The least time between two requests. */
    private static final long RECENT_NANOS = 200_000_000;

    private final Attempt attempt;
    private final Map<String, Measurement> measurements = new HashMap<>();
    /** Members that have not answered yet; in order, so that a simulation replays exactly. */
    private final Set<Member> asked = new LinkedHashSet<>();
    private CompletableFuture<Void> answered = CompletableFuture.completedFuture(null);
    private long askedNanos;

    CounterCollection(Attempt attempt, long now) {
        this.attempt = attempt;
        askedNanos = now - RECENT_NANOS;
    }

    /** Asks the members, unless it has just done so. */
    void ask(Collection<Member> members, long now) {
        if (answered.isDone() && now - askedNanos >= RECENT_NANOS) {
            askedNanos = now;
            answered = new CompletableFuture<>();
            asked.addAll(members);
            asked.forEach(m -> m.send(new Message.Count(attempt)));
        }
    }

    /** Completes when all members that were asked have answered or have finished. */
    CompletableFuture<Void> answered() {
        return answered;
    }

    void received(Member from, Measurement counters) {
        measurements.merge(from.name(), counters, (before, now) -> now.after(before));
        finished(from);
    }

    /** The member will not answer any more. */
    void finished(Member member) {
        asked.remove(member);
        if (asked.isEmpty()) {
            answered.complete(null);
        }
    }

    void end() {
        asked.clear();
        answered.complete(null);
    }

    /** Packets whose rows have not left their operators. */
    long held() {
        return measurements.values().stream().flatMap(each -> each.job().operators().values().stream())
                .mapToLong(each -> each.state().held()).sum();
    }

    /** By resource, the latest of each. */
    Map<String, Measurement> measurements() {
        return Map.copyOf(measurements);
    }
}
