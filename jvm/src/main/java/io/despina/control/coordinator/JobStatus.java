package io.despina.control.coordinator;

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
 * @param awaited      by resource that has not joined: the command that starts it
 */
record JobStatus(JobState state, Refusal error, long elapsedNanos, long measuredNanos,
        Map<String, Measurement> measurements, Map<String, Long> pids, Losses losses, Map<String, String> awaited) {

    /**
     * Data of an ended job that did not reach its output.
     *
     * @param undelivered packets in flight that were dropped
     * @param leftBehind  files of sinks with uncommitted rows
     */
    record Losses(long undelivered, List<String> leftBehind) {
    }
}
