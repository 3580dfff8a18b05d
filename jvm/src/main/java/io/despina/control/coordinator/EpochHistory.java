package io.despina.control.coordinator;

import io.despina.control.epoch.EpochDecisions;
import io.despina.control.epoch.EpochProgress;
import io.despina.snapshot.CommitPermit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/** What is remembered of an attempt's epochs, for its status. Guarded by the lock of its {@link JobAttempt}. */
final class EpochHistory {
    private static final int MOST_WARNINGS = 100;

    private final KeptEpochs.Begin begin;
    private final Deque<String> warnings = new ArrayDeque<>();
    private EpochStatus.Cost last = EpochStatus.Cost.NONE;
    private Consumer<CommitPermit> listener = permit -> { };

    EpochHistory(KeptEpochs.Begin begin) {
        this.begin = begin;
        warnings.addAll(begin.told());
    }

    void warn(String words) {
        if (warnings.size() < MOST_WARNINGS) {
            warnings.add(words);
        }
    }

    /** @param millis from its barrier to its manifest */
    void complete(CommitPermit permit, long millis) {
        last = new EpochStatus.Cost(millis, permit.manifest().newBytes());
        listener.accept(permit);
    }

    /** @param told of each epoch that is complete, from now on */
    void whenComplete(Consumer<CommitPermit> told) {
        listener = told;
    }

    EpochStatus status(EpochProgress facts, long now) {
        EpochProgress.Trouble trouble = facts.trouble();
        return new EpochStatus(begin.place().address(), begin.place().from(), facts.last().complete(), last,
                now - facts.last().completeMillis(), trouble.dropped(), new EpochStatus.Trouble(trouble.inRow(),
                EpochDecisions.trouble(facts, now), trouble.told().contains(EpochProgress.Told.STALE)), List.copyOf(warnings));
    }
}
