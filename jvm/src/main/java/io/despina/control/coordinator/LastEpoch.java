package io.despina.control.coordinator;

import io.despina.snapshot.CommitPermit;
import java.io.IOException;

/**
 * The last epoch of a job that ends well.
 *
 * @param copy     the savepoint that is written of it; or null
 * @param rowsLeft whether a program may come back for rows that it has not read
 */
record LastEpoch(CommitPermit permit, SavepointCopy copy, boolean rowsLeft) {

    /** Has it marked by another thread. */
    void mark(KeptEpochs kept, AsideWork aside) {
        aside.start(() -> {
            mark(kept);
            return this;
        }, marked -> { }, broken -> { });
    }

    /** Marks it as committed: until then, the job ends once more if it is run again. May wait for a disk. */
    private void mark(KeptEpochs kept) {
        try {
            if (!rowsLeft || !KeptEpochs.isLast(permit.manifest())) {
                kept.committed(permit);
            }
        } catch (IOException e) {
            System.err.println("despina: the end of the job cannot be written: " + e.getMessage());
        }
        if (copy != null) {
            copy.write();
        }
    }
}
