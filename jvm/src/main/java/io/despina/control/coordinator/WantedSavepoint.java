package io.despina.control.coordinator;

import io.despina.control.epoch.EpochProgress;
import java.util.concurrent.Executor;

/** The savepoint that is asked for, until its epoch is committed. Guarded by the lock of its {@link JobAttempt}. */
final class WantedSavepoint {
    private final Executor aside;
    /** Null for none. */
    private SavepointCopy copy;

    WantedSavepoint(Executor aside) {
        this.aside = aside;
    }

    void is(SavepointCopy wanted) {
        copy = wanted;
    }

    /** That which the epoch is to be, whose manifest is about to be written: of a last one everything has left the job, too. */
    SavepointCopy of(long epoch, EpochProgress facts) {
        return facts.announced() == epoch || facts.ending().epoch() == epoch ? copy : null;
    }

    /** All sinks have committed that epoch. @return what is to be written of it; or null */
    SavepointCopy take(long epoch) {
        SavepointCopy of = copy != null && copy.epoch() == epoch ? copy : null;
        copy = of == null ? copy : null;
        return of;
    }

    /** The same; writes it. */
    void write(long epoch) {
        SavepointCopy of = take(epoch);
        if (of != null) {
            aside.execute(of::write);
        }
    }

    void giveUp(String why) {
        SavepointCopy given = copy;
        copy = null;
        if (given != null) {
            aside.execute(() -> given.fail(why));
        }
    }

    /** @return the facts after an epoch was dropped */
    EpochProgress dropped(EpochProgress facts, String why) {
        if (facts.savepoint() == null || facts.savepoint().dropped() < SavepointCopy.TRIES) {
            return facts;
        }
        giveUp(why);
        return facts.wantingNone();
    }
}
