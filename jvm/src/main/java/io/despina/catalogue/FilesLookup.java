package io.despina.catalogue;

import io.despina.plan.ReadsFiles;
import io.despina.spec.Blocking;

/** A lookup whose table is in memory, read from files when the operator opens. */
interface FilesLookup extends ExecutableSpec, ReadsFiles {
    @Override
    default boolean passesOn() {
        return true;
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
