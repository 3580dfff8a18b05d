package io.despina.catalogue;

import io.despina.plan.ReadsFiles;
import io.despina.plan.TimePerKey;
import io.despina.spec.Blocking;

/** A lookup whose table is in memory, read from files when the operator opens. */
interface FilesLookup extends ExecutableSpec, ReadsFiles {
    @Override
    default TimePerKey timePerKey() {
        return TimePerKey.UNUSED;
    }

    /** Files may take any time to open. */
    @Override
    default Blocking blocking() {
        return Blocking.OPENING;
    }

    @Override
    default boolean keepsAll() {
        return false;
    }
}
