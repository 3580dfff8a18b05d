package io.despina.snapshot;

/**
 * What a state folder has of an epoch.
 *
 * @param standing what it is
 * @param manifest null unless it could be read
 * @param marked   whether something says that it was committed
 * @param problem  why it cannot be gone on from; null if it can
 */
public record EpochFacts(long epoch, Standing standing, Manifest manifest, boolean marked, String problem) {

    /** What an epoch is, by what lies in the folder. */
    public enum Standing {
        /** Some resource has written its part. There is no manifest, so it is no epoch. */
        WRITTEN,
        /** The manifest is whole. Some sinks may not have committed: they must, before anything else. */
        COMMITTING,
        /** All sinks have committed. */
        COMMITTED,
        /** The manifest is cut short: whoever made it died meanwhile, and nobody has committed. */
        HALF,
        /** The manifest, or a file that it names, is damaged or missing. */
        ROTTEN,
        /** A later engine wrote the manifest, in a format that this one cannot read. */
        LATER,
        /** An attempt completed it that was fenced off already; nobody has committed. */
        FENCED;

        /** Whether a job can go on from it. */
        public boolean isWhole() {
            return this == COMMITTING || this == COMMITTED;
        }
    }
}
