package io.despina.catalogue;

/** A sink whose rows may wait in a log until their epoch is complete. */
interface LeavingSpec extends ExecutableSpec {

    Leaving leaving();

    @Override
    default boolean waitsForEpoch() {
        return leaving().byEpoch();
    }

    @Override
    default boolean waitsInLog() {
        return leaving().byEpoch();
    }

    /** The log. */
    @Override
    default boolean keepsRowsHere() {
        return leaving().byEpoch();
    }
}
