package io.despina.control.coordinator;

import io.despina.control.members.Lease;
import io.despina.control.protocol.Measurement;
import io.despina.control.protocol.Refusal;
import java.util.List;
import java.util.Map;

/**
 * The state of a job at one instant.
 *
 * @param error        null unless it failed
 * @param measurements by resource
 * @param pids         by resource, in the deployment's order
 * @param epochs       null unless it keeps a state and runs, or has run
 */
record JobStatus(JobState state, Refusal error, Times times, Map<String, Measurement> measurements, Map<String, Long> pids,
        Losses losses, Deploying deploying, EpochStatus epochs) {

    /** How long it has run, and of that how long since the warm-up. */
    record Times(long elapsedNanos, long measuredNanos) {
    }

    /** The same in another state. */
    JobStatus as(JobState other, Refusal why) {
        return new JobStatus(other, why, times, measurements, pids, losses, deploying, epochs);
    }

    /**
     * Whether its counters are those of the job: those of an attempt that goes on begin at 0, until all resources have restored
     * theirs.
     */
    boolean hasCounted() {
        return isOpen() || state.isEnd() && state != JobState.FAILED;
    }

    private boolean isOpen() {
        return !pids.isEmpty() && pids.keySet().stream().map(measurements::get)
                .allMatch(each -> each != null && each.times().openedMillis() != Measurement.NONE);
    }

    /** The same with the counters of an attempt before, as long as it has none of its own. */
    JobStatus counted(JobStatus before) {
        return new JobStatus(state, error, times, before.measurements, pids, losses, deploying, epochs);
    }

    /**
     * What a job that deploys waits for.
     *
     * @param phase   in words; empty when it deploys no more
     * @param awaited by resource that has not joined: the command that starts it
     */
    record Deploying(String phase, Map<String, String> awaited) {
        private static final Deploying OVER = new Deploying("", Map.of());

        /**
         * @param lease      of its resources; null before
         * @param members    that were told what to host
         * @param waitingFor how many of them do not host it yet
         */
        static Deploying of(JobState state, Lease lease, int members, int waitingFor) {
            if (state != JobState.DEPLOYING || lease == null) {
                return OVER;
            }
            int joined = lease.hasJoined();
            int all = lease.joined().size();
            String phase = joined < all ? "starting resources (" + joined + " of " + all + ")"
                    : members == 0 ? "compiling expressions"
                    : "preparing operators (" + (members - waitingFor) + " of " + members + ")";
            return new Deploying(phase, lease.awaited());
        }
    }

    /**
     * Data of an ended job that did not reach its output.
     *
     * @param undelivered packets in flight that were dropped
     * @param leftBehind  files of sinks with uncommitted rows
     */
    record Losses(long undelivered, List<String> leftBehind) {
        static final Losses NONE = new Losses(0, List.of());
    }
}
